-- The order lines of an offer by booth. Accepting charges these, also if prices have changed since.
alter table booth_applications add column offer_lines jsonb not null default '[]';
