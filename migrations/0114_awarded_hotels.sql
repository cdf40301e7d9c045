-- The award that a hotel's contract was made from, so that publishing the award again changes nothing.
alter table housing_contracts add column award_id text collate "C";
