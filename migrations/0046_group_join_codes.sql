-- The secret that people enter to join a group: 48 random bits in characters without vowels and lookalikes, in three parts of four. The
-- group's code is part of addresses and follows from its name, so it does not authorize a purchase that the group pays for.
create function lanyard_join_code() returns text language sql volatile as $$
  select concat_ws('-', substr(r, 1, 4), substr(r, 5, 4), substr(r, 9, 4))
  from (select translate(replace(gen_random_uuid()::text, '-', ''), '0123456789abcdef', 'BCDFGHJKMNPRSTVW') as r) random $$;

-- The default is evaluated for every existing row, and fires no trigger: revisions stay.
alter table managed_groups add column join_code text collate "C" not null default lanyard_join_code();
create unique index managed_groups_join_code on managed_groups (tenant_id, event_id, join_code);

-- The join code that the participant entered. It is no answer, because organizers, exports and the audit log show answers.
alter table registration_progress add column group_join_code text collate "C";
