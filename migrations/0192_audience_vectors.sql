-- The feature vectors of a running build, in a table of their own. The members of the profiles are then written once, in the order of their keys,
-- instead of being updated. There is no reference to participants, because checking it would take most of the time of a large build.
create table audience_vectors (
  tenant_id integer not null,
  event_id text collate "C" not null,
  build_id text collate "C" not null,
  participant_id text collate "C" not null,
  -- The first rule that the participant matches, counted from 1.
  rule smallint,
  levels text[] collate "C" not null,
  net numeric not null,
  lead_days integer,
  leads integer not null,
  attended boolean not null,
  products text[] collate "C" not null,
  primary key (tenant_id, event_id, build_id, participant_id),
  foreign key (tenant_id, event_id, build_id) references audience_builds
);

-- The columns of the vectors remain in the members while the previous version may still run, which writes them.
alter table audience_members
  alter column levels drop not null,
  alter column net drop not null,
  alter column leads drop not null,
  alter column attended drop not null,
  alter column products drop not null;
drop index audience_members_listed;
create index audience_members_of_profile on audience_members (tenant_id, event_id, profile_code) where profile_code is not null;
