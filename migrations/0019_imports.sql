-- What is brought along from another system's spreadsheets: how its columns are read, each run, and what every row became.

create table import_setups (
  tenant_id integer not null,
  event_id text collate "C" not null,
  id text collate "C" not null,
  -- Counts changes of files, mapping, values and formats: a confirmed dry run is of one of them.
  revision integer not null default 1,
  source_system text collate "C" not null check (source_system ~ '^[a-z0-9][a-z0-9-]{0,62}$'),
  files jsonb not null,
  -- Of a setup without files.
  content text,
  answers jsonb not null,
  proposal jsonb not null,
  flow_slug text collate "C" not null,
  status text not null check (status in ('draft', 'ready')),
  created_by text not null,
  created_at timestamptz not null default lanyard_now(),
  updated_at timestamptz not null default lanyard_now(),
  primary key (tenant_id, event_id, id),
  foreign key (tenant_id, event_id) references events
);

create table import_runs (
  tenant_id integer not null,
  event_id text collate "C" not null,
  id text collate "C" not null,
  setup_id text collate "C" not null,
  setup_revision integer not null,
  mode text not null check (mode in ('test', 'live')),
  dry_run boolean not null,
  options jsonb not null,
  status text not null check (status in ('queued', 'running', 'done', 'failed')),
  -- Rows up to here are written: { sheet, row }.
  position jsonb,
  counts jsonb not null default '{}',
  job_id text collate "C",
  error_file_id text collate "C",
  created_by text not null,
  created_at timestamptz not null default lanyard_now(),
  finished_at timestamptz,
  primary key (tenant_id, event_id, id),
  foreign key (tenant_id, event_id, setup_id) references import_setups
);
create index import_runs_of_setup on import_runs (tenant_id, event_id, setup_id, created_at);
-- One live run of an event goes at a time.
create unique index import_runs_one_live on import_runs (tenant_id, event_id)
  where mode = 'live' and not dry_run and status in ('queued', 'running');

-- I14. Whatever a row of the source became, it became once.
create table import_rows (
  tenant_id integer not null,
  event_id text collate "C" not null,
  is_test_data boolean not null,
  source_system text collate "C" not null,
  entity_kind text collate "C" not null check (entity_kind in ('participant', 'payment', 'line')),
  source_key text collate "C" not null,
  content_hash bytea not null,
  -- What the import last wrote, by field: whatever differs from it since was edited here.
  written jsonb not null,
  entity_id text collate "C" not null,
  run_id text collate "C" not null,
  -- The last run that met it.
  seen_run_id text collate "C" not null,
  primary key (tenant_id, event_id, is_test_data, source_system, entity_kind, source_key),
  foreign key (tenant_id, event_id, run_id) references import_runs,
  foreign key (tenant_id, event_id, seen_run_id) references import_runs
) with (fillfactor = 70);
create index import_rows_of_run on import_rows (tenant_id, event_id, run_id);
create index import_rows_seen on import_rows (tenant_id, event_id, seen_run_id);

create table import_errors (
  tenant_id integer not null,
  event_id text collate "C" not null,
  run_id text collate "C" not null,
  -- In the order of the file.
  position integer not null,
  sheet text not null,
  row_number integer not null,
  column_name text not null,
  value text not null,
  code text not null,
  message text not null,
  primary key (tenant_id, event_id, run_id, position),
  foreign key (tenant_id, event_id, run_id) references import_runs
);
