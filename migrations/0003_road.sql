create table audit_entries (
  tenant_id integer not null references tenants,
  id text collate "C" not null,
  at timestamptz not null default lanyard_now(),
  client_id text collate "C",
  event_id text collate "C",
  actor_kind text not null check (actor_kind in ('organizer', 'apiAccount', 'participant', 'operator', 'job')),
  actor_id text not null,
  actor_name text not null,
  -- Through what: the connected app's name and id, or console, rest, cli, job.
  app_name text not null,
  app_id text,
  tool text not null,
  -- [{ kind, id, fields: { name: { before, after } } }], the first is what the call was about.
  targets jsonb not null,
  primary key (tenant_id, id),
  foreign key (tenant_id, client_id) references clients,
  foreign key (tenant_id, event_id) references events
);
create index audit_entries_of_event on audit_entries (tenant_id, event_id, id) where event_id is not null;

create table idempotency_keys (
  tenant_id integer not null references tenants,
  actor_id text collate "C" not null,
  tool text collate "C" not null,
  key text collate "C" not null,
  arguments_hash bytea not null,
  result jsonb,
  created_at timestamptz not null default lanyard_now(),
  primary key (tenant_id, actor_id, tool, key)
);

-- Confirm tokens that were used. The token itself is sealed and never stored.
create table confirmations (
  tenant_id integer not null references tenants,
  nonce text collate "C" not null,
  used_at timestamptz not null default lanyard_now(),
  primary key (tenant_id, nonce)
);

create table jobs (
  tenant_id integer not null references tenants,
  id text collate "C" not null check (id ~ '^[0-9a-f]{24}$'),
  client_id text collate "C",
  event_id text collate "C",
  name text not null,
  status text not null default 'queued' check (status in ('queued', 'running', 'done', 'failed')),
  input jsonb not null,
  progress_done integer not null default 0,
  progress_total integer,
  result jsonb,
  error text,
  created_by text not null,
  created_at timestamptz not null default lanyard_now(),
  started_at timestamptz,
  finished_at timestamptz,
  primary key (tenant_id, id),
  foreign key (tenant_id, client_id) references clients,
  foreign key (tenant_id, event_id) references events
);

-- Every mail that leaves or is shown: written in the transaction that caused it, handed over by the worker.
create table messages (
  tenant_id integer not null references tenants,
  id text collate "C" not null check (id ~ '^[0-9a-f]{24}$'),
  event_id text collate "C",
  source_kind text not null,
  source_id text not null,
  recipient_key text not null,
  category text not null check (category in ('signin.code', 'transactional', 'operational', 'marketing')),
  lane smallint not null default 1 check (lane between 0 and 3),
  email_code text,
  to_address text not null,
  to_name text,
  from_name text,
  reply_to text,
  locale text not null default 'en',
  subject text not null,
  text_body text not null,
  html_body text,
  headers jsonb not null default '{}',
  status text not null default 'queued'
    check (status in ('queued', 'claimed', 'handed', 'sent', 'skipped', 'held', 'cancelled', 'bounced', 'failed', 'uncertain', 'delivered', 'complained', 'kept')),
  attempts integer not null default 0,
  next_attempt_at timestamptz not null default lanyard_now(),
  lease_until timestamptz,
  lease_token text,
  handed_at timestamptz,
  sent_at timestamptz,
  message_id_header text not null,
  last_error jsonb,
  queued_at timestamptz not null default lanyard_now(),
  resend_of text,
  is_test_data boolean not null default false,
  primary key (tenant_id, id),
  foreign key (tenant_id, event_id) references events
);
-- One source reaches one recipient once, whatever the number of workers and calls.
create unique index messages_once on messages (tenant_id, source_kind, source_id, recipient_key) where resend_of is null;
create index messages_due on messages (lane, next_attempt_at, id) where status = 'queued';
create index messages_leased on messages (lease_until) where status in ('claimed', 'handed');
