-- Audience profiles: groups of similar participants, calculated by a job.

create table audience_builds (
  tenant_id integer not null,
  event_id text collate "C" not null,
  id text collate "C" not null check (id ~ '^[0-9a-f]{24}$'),
  status text not null default 'queued' check (status in ('queued', 'running', 'done', 'unchanged', 'failed')),
  -- The build whose profiles are shown. The next one replaces it when it is done.
  served boolean not null default false,
  options jsonb not null default '{}',
  algorithm_version text not null,
  as_of timestamptz,
  population integer,
  patterns integer,
  k integer,
  silhouette double precision,
  -- The features of the vectors, with their labels, in the order of audience_members.levels.
  features jsonb not null default '[]',
  warnings text[] not null default '{}',
  input_hash text collate "C",
  error text,
  job_id text collate "C",
  -- The night on which it was last decided whether these profiles are stale.
  checked_on date,
  started_at timestamptz,
  finished_at timestamptz,
  revision integer not null default 1,
  created_at timestamptz not null default lanyard_now(),
  updated_at timestamptz not null default lanyard_now(),
  primary key (tenant_id, event_id, id),
  foreign key (tenant_id, event_id) references events,
  check (not served or status = 'done')
);
create unique index audience_builds_active on audience_builds (tenant_id, event_id) where status in ('queued', 'running');
create unique index audience_builds_served on audience_builds (tenant_id, event_id) where served;
create trigger audience_builds_touch before update on audience_builds for each row execute function lanyard_touch();

create table audience_profiles (
  tenant_id integer not null,
  event_id text collate "C" not null,
  build_id text collate "C" not null,
  code text collate "C" not null check (code ~ '^p[1-9][0-9]*$'),
  name text not null,
  -- The name of the rule whose matches these are; null for a calculated group.
  rule text,
  size integer not null check (size > 0),
  -- The most frequent level of each feature.
  mode jsonb not null,
  -- How many people have each level of each feature.
  levels jsonb not null,
  traits jsonb not null,
  behaviour jsonb not null,
  products jsonb not null,
  primary key (tenant_id, event_id, build_id, code),
  foreign key (tenant_id, event_id, build_id) references audience_builds
);

-- While a build runs, its members have vectors and no profile yet. Members have a profile only in the build that is served. There is no reference to
-- participants, because checking it would take most of the time of a large build.
create table audience_members (
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
  profile_code text collate "C",
  -- To the mode of the profile; null if a rule decided.
  distance double precision,
  primary key (tenant_id, event_id, build_id, participant_id),
  foreign key (tenant_id, event_id, build_id) references audience_builds
);
create unique index audience_members_profile on audience_members (tenant_id, event_id, participant_id) include (profile_code) where profile_code is not null;
create index audience_members_listed on audience_members (tenant_id, event_id, build_id, profile_code, distance, participant_id) where profile_code is not null;
