-- The configuration that is being edited: one document per event, in stored form. An event without a row has the blank one.
create table config_drafts (
  tenant_id integer not null,
  event_id text collate "C" not null,
  document jsonb not null,
  -- Of the canonical document. Whoever knows it knows the document.
  sha256 text collate "C" not null check (sha256 ~ '^[0-9a-f]{64}$'),
  draft_revision integer not null default 1 check (draft_revision > 0),
  based_on_version integer,
  -- Set by a reset and taken along by the next publish.
  restored_from integer,
  updated_at timestamptz not null default lanyard_now(),
  updated_by text collate "C",
  updated_by_name text,
  primary key (tenant_id, event_id),
  foreign key (tenant_id, event_id) references events on delete cascade
);
-- Written as a whole with every edit: packing up to 2 MB would cost more than the space is worth.
alter table config_drafts alter column document set storage external;

-- What was published, for good.
create table config_versions (
  tenant_id integer not null,
  event_id text collate "C" not null,
  number integer not null check (number > 0),
  id text collate "C" not null check (id ~ '^[0-9a-f]{24}$'),
  document jsonb not null,
  sha256 text collate "C" not null check (sha256 ~ '^[0-9a-f]{64}$'),
  note text check (length(note) <= 500),
  published_at timestamptz not null default lanyard_now(),
  published_by text collate "C",
  published_by_name text not null,
  app_name text not null,
  based_on_version integer,
  restored_from integer,
  counts jsonb not null,
  primary key (tenant_id, event_id, number),
  unique (tenant_id, event_id, id),
  foreign key (tenant_id, event_id) references events on delete cascade
);

create function config_versions_stay() returns trigger language plpgsql as $$
begin
  raise exception 'a published version cannot be changed' using errcode = 'integrity_constraint_violation';
end $$;
create trigger config_versions_unchanged before update on config_versions for each row execute function config_versions_stay();
-- Only together with its event, by the reference above.
create trigger config_versions_kept before delete on config_versions for each row
  when (pg_trigger_depth() = 0) execute function config_versions_stay();

-- Numbers without gaps: each version is the next one.
create function config_versions_next() returns trigger language plpgsql as $$
begin
  if new.number <> 1 + coalesce((select max(number) from config_versions where tenant_id = new.tenant_id and event_id = new.event_id), 0) then
    raise exception 'version % is not the next one', new.number using errcode = 'integrity_constraint_violation';
  end if;
  return new;
end $$;
create trigger config_versions_gapless before insert on config_versions for each row execute function config_versions_next();

-- Every saved edit of a draft: what was asked, and what stood there before and after.
create table config_changes (
  tenant_id integer not null,
  event_id text collate "C" not null,
  draft_revision integer not null,
  tool text not null,
  operations jsonb not null,
  changes jsonb not null,
  note text,
  actor_id text not null,
  actor_name text not null,
  app_name text not null,
  at timestamptz not null default lanyard_now(),
  primary key (tenant_id, event_id, draft_revision),
  foreign key (tenant_id, event_id) references events on delete cascade
);

-- What the configuration must not orphan. Later migrations add the rest of a registration.
alter table participants
  add column flow_slug text collate "C",
  add column manual_tags text[] not null default '{}',
  add column directory_tags text[] not null default '{}',
  add column custom_field_responses jsonb not null default '{}';

-- Until now no version was kept, so none can be live.
update events set published_version = null where published_version is not null;
