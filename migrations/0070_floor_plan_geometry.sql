-- Booths that were read from the plan's source file. Calibrating the plan rescales these, and leaves booths drawn by hand alone.
alter table booths add column from_source boolean not null default false;

-- Proposed placements of booths (generate_max_fit). The plan is unchanged until one is applied, which needs the revision it was made for.
create table floor_plan_layouts (
  tenant_id integer not null,
  event_id text collate "C" not null,
  id text collate "C" not null check (id ~ '^[0-9a-f]{24}$'),
  floor_plan_id text collate "C" not null,
  plan_revision integer not null,
  input jsonb not null,
  result jsonb not null,
  created_at timestamptz not null default lanyard_now(),
  expires_at timestamptz not null default lanyard_now() + interval '30 days',
  applied_at timestamptz,
  primary key (tenant_id, event_id, id),
  foreign key (tenant_id, event_id, floor_plan_id) references floor_plans
);
create index floor_plan_layouts_of_plan on floor_plan_layouts (tenant_id, event_id, floor_plan_id);
create index floor_plan_layouts_expiry on floor_plan_layouts (expires_at);

-- What reading the source file of a plan found. Nothing on the plan changes until findings are applied.
create table floor_plan_scans (
  tenant_id integer not null,
  event_id text collate "C" not null,
  id text collate "C" not null check (id ~ '^[0-9a-f]{24}$'),
  floor_plan_id text collate "C" not null,
  file_id text collate "C" not null,
  sha256 text collate "C" not null,
  options jsonb not null default '{}',
  status text not null default 'queued' check (status in ('queued', 'running', 'done', 'failed', 'cancelled')),
  progress jsonb not null default '{"done": 0, "total": 100}',
  findings jsonb not null default '[]',
  scale jsonb not null default '{"method": "none", "unitsPerSourceUnit": null}',
  warnings text[] not null default '{}',
  error text,
  job_id text collate "C",
  revision integer not null default 1,
  created_at timestamptz not null default lanyard_now(),
  updated_at timestamptz not null default lanyard_now(),
  primary key (tenant_id, event_id, id),
  foreign key (tenant_id, event_id, floor_plan_id) references floor_plans
);
create unique index floor_plan_scans_running on floor_plan_scans (tenant_id, event_id, floor_plan_id) where status in ('queued', 'running');
create index floor_plan_scans_of_plan on floor_plan_scans (tenant_id, event_id, floor_plan_id, id);
create trigger floor_plan_scans_touch before update on floor_plan_scans for each row execute function lanyard_touch();
