-- Who runs a job now, for how long without a sign of life, how often it was begun, and when it is due again.
alter table jobs
  add column created_by_name text not null default '',
  add column attempts integer not null default 0,
  add column due_at timestamptz not null default lanyard_now(),
  add column lease_token text,
  add column lease_until timestamptz;
create index jobs_open on jobs (due_at) where status in ('queued', 'running');
-- Where a kind of job runs one at a time per event, the one that runs is looked for here.
create index jobs_running on jobs (tenant_id, event_id, name) where status = 'running';

-- One row for each time that recurring work fell due: whoever writes it has it begun, nobody else.
create table recurring_slots (
  name text collate "C" not null,
  slot timestamptz not null,
  attempts integer not null default 0,
  lease_token text,
  lease_until timestamptz,
  -- Set at once in the row that is written when the work is first heard of: nothing was missed then.
  done_at timestamptz,
  primary key (name, slot)
);

-- Calls to somebody outside that must have their effect once. The id is the key under which the other side knows the call.
create table outside_calls (
  tenant_id integer not null references tenants,
  id text collate "C" not null check (id ~ '^[0-9a-f]{24}$'),
  client_id text collate "C",
  event_id text collate "C",
  kind text not null,
  input jsonb not null,
  status text not null default 'waiting' check (status in ('waiting', 'calling', 'settled', 'givenUp')),
  attempts integer not null default 0,
  next_attempt_at timestamptz not null default lanyard_now(),
  lease_token text,
  lease_until timestamptz,
  -- Kept when it could not be settled at once, so that it is not asked for again.
  answer jsonb,
  outcome jsonb,
  created_by text not null,
  created_by_name text not null,
  created_at timestamptz not null default lanyard_now(),
  ended_at timestamptz,
  primary key (tenant_id, id),
  foreign key (tenant_id, client_id) references clients,
  foreign key (tenant_id, event_id) references events
);
create index outside_calls_open on outside_calls (next_attempt_at) where status in ('waiting', 'calling');
