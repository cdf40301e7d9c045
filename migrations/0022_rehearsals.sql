-- People who were made up: for a look at how an event will be with many of them, or to rehearse a flow. They are made in runs, so that a run
-- can be read, gone on with and cleared as a whole. A run that was cleared is gone.
create table test_runs (
  tenant_id integer not null,
  event_id text collate "C" not null,
  id text collate "C" not null check (id ~ '^[0-9a-f]{24}$'),
  kind text not null check (kind in ('registrations', 'rehearsal')),
  -- Null where it was made within the call.
  job_id text collate "C",
  options jsonb not null,
  total integer not null check (total >= 0),
  -- How many were dealt with: after a stop it goes on with the next.
  done integer not null default 0,
  failures jsonb not null default '[]',
  created_at timestamptz not null default lanyard_now(),
  primary key (tenant_id, event_id, id),
  foreign key (tenant_id, event_id) references events,
  foreign key (tenant_id, job_id) references jobs,
  constraint test_runs_done check (done between 0 and total)
);

alter table participants
  add column test_run_id text collate "C",
  add constraint participants_test_run foreign key (tenant_id, event_id, test_run_id) references test_runs,
  add constraint participants_test_run_is_test check (test_run_id is null or is_test_data);
create index participants_of_test_run on participants (tenant_id, event_id, test_run_id) where test_run_id is not null;

-- A flow that was gone through by people who reach every branch of it. Its id is that of the run its people are made in.
create table rehearsals (
  tenant_id integer not null,
  event_id text collate "C" not null,
  id text collate "C" not null,
  flow_slug text collate "C" not null,
  source text collate "C" not null,
  draft_revision integer not null,
  -- Of the flow and all it sells, asks and says: whoever changes that has not rehearsed what is there now.
  flow_hash text collate "C" not null,
  seed integer not null,
  options jsonb not null,
  status text not null default 'queued' check (status in ('queued', 'running', 'done', 'failed', 'cancelled')),
  report jsonb,
  created_by text not null,
  created_at timestamptz not null default lanyard_now(),
  finished_at timestamptz,
  primary key (tenant_id, event_id, id),
  foreign key (tenant_id, event_id, id) references test_runs,
  constraint rehearsals_finished check ((status in ('queued', 'running')) = (finished_at is null))
);
create unique index rehearsals_active on rehearsals (tenant_id, event_id) where status in ('queued', 'running');
create index rehearsals_of_flow on rehearsals (tenant_id, event_id, flow_slug, id);

create table rehearsal_people (
  tenant_id integer not null,
  event_id text collate "C" not null,
  rehearsal_id text collate "C" not null,
  index integer not null check (index >= 0),
  outcome text not null check (outcome in ('completed', 'blocked', 'waitlisted', 'failed')),
  -- In minor units of the event's currency.
  total bigint not null,
  elapsed_ms integer not null,
  told jsonb not null,
  primary key (tenant_id, event_id, rehearsal_id, index),
  foreign key (tenant_id, event_id, rehearsal_id) references rehearsals
);
