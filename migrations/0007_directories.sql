-- Connections to member directories: how to ask them, the secrets for it, and what was asked.

create table directory_connections (
  tenant_id integer not null,
  event_id text collate "C" not null,
  id text collate "C" not null check (id ~ '^[0-9a-f]{24}$'),
  code text collate "C" not null check (code ~ '^[a-z0-9][a-z0-9-]{0,62}$'),
  name text not null,
  preset text not null,
  -- Empty for an uploaded list, which is asked here.
  base_url text not null,
  settings jsonb not null default '{}',
  auth jsonb not null,
  requests jsonb not null default '{}',
  bindings jsonb not null default '[]',
  tag_rules jsonb not null default '[]',
  cache_minutes integer not null default 15 check (cache_minutes between 0 and 1440),
  timeout_ms integer not null default 4000 check (timeout_ms between 1000 and 10000),
  on_failure text not null default 'allow' check (on_failure in ('allow', 'block', 'queue')),
  status text not null default 'draft' check (status in ('draft', 'ready', 'failing', 'disabled')),
  last_test jsonb,
  -- Expressions and types of the record that the last passed test found; no values.
  sources jsonb,
  -- In a row, of lookups.
  failures integer not null default 0,
  opened_at timestamptz,
  next_try_at timestamptz,
  revision integer not null default 1,
  created_at timestamptz not null default lanyard_now(),
  updated_at timestamptz not null default lanyard_now(),
  primary key (tenant_id, event_id, id),
  unique (tenant_id, event_id, code),
  foreign key (tenant_id, event_id) references events,
  check ((status = 'failing') = (next_try_at is not null))
);
-- A test and an outage are no edits: they must not turn somebody's edit into a conflict. Switching on and off is one.
create trigger directory_connections_touch
  before update of name, base_url, settings, auth, requests, bindings, tag_rules, cache_minutes, timeout_ms, on_failure
  on directory_connections for each row execute function lanyard_touch();
create trigger directory_connections_switched before update of status on directory_connections for each row
  when ((old.status = 'disabled') <> (new.status = 'disabled')) execute function lanyard_touch();

create table directory_credentials (
  tenant_id integer not null,
  event_id text collate "C" not null,
  connection_id text collate "C" not null,
  name text collate "C" not null,
  -- AES-256-GCM, bound to connection and name.
  sealed text not null,
  -- The last four characters of a long one.
  hint text,
  set_at timestamptz not null default lanyard_now(),
  set_by text not null,
  primary key (tenant_id, event_id, connection_id, name),
  foreign key (tenant_id, event_id, connection_id) references directory_connections on delete cascade
);

-- One row for every lookup; the rows that went out also keep the answer for a while.
create table directory_lookups (
  tenant_id integer not null,
  event_id text collate "C" not null,
  connection_id text collate "C" not null,
  id text collate "C" not null check (id ~ '^[0-9a-f]{24}$'),
  -- HMAC of what was asked for.
  key_hash bytea not null,
  outcome text not null check (outcome in ('found', 'notFound', 'many', 'error')),
  -- Of HTTP; null when there was no answer, or none was asked for.
  status integer,
  ms integer,
  tags_given text[] not null default '{}',
  cache_hit boolean not null default false,
  at timestamptz not null default lanyard_now(),
  -- The answer, sealed, and until when it may be used.
  answer text,
  expires_at timestamptz,
  -- What to ask again, sealed, while a job retries.
  asked text,
  primary key (tenant_id, event_id, connection_id, id),
  foreign key (tenant_id, event_id, connection_id) references directory_connections on delete cascade,
  check ((answer is null) = (expires_at is null))
);
create index directory_lookups_cached on directory_lookups (tenant_id, event_id, connection_id, key_hash, expires_at) where answer is not null;
create index directory_lookups_expiring on directory_lookups (expires_at) where answer is not null;
create index directory_lookups_by_time on directory_lookups (tenant_id, event_id, connection_id, at);

-- The rows of an uploaded list, found by the HMAC of an email or member number.
create table directory_list_entries (
  tenant_id integer not null,
  event_id text collate "C" not null,
  connection_id text collate "C" not null,
  id text collate "C" not null check (id ~ '^[0-9a-f]{24}$'),
  email_hash bytea,
  member_number_hash bytea,
  sealed text not null,
  primary key (tenant_id, event_id, connection_id, id),
  foreign key (tenant_id, event_id, connection_id) references directory_connections on delete cascade
);
create index directory_list_entries_by_email on directory_list_entries (tenant_id, event_id, connection_id, email_hash);
create index directory_list_entries_by_number on directory_list_entries (tenant_id, event_id, connection_id, member_number_hash);
