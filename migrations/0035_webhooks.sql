-- Where integrators want to be told of changes, and as what they may know them: as their API account.
create table webhook_endpoints (
  tenant_id integer not null,
  id text collate "C" not null check (id ~ '^[0-9a-f]{24}$'),
  account_id text collate "C" not null,
  url text not null,
  -- One '*': all of them, also those to come.
  kinds text[] not null check (cardinality(kinds) > 0),
  -- Less than the account covers: one client, or one event of it.
  client_code text collate "C",
  event_code text collate "C",
  description text not null default '',
  status text not null default 'active' check (status in ('active', 'paused', 'disabled')),
  disabled_reason text,
  -- [{ sealed, until? }], the one that is shown first; an older one signs along until its time is over.
  secrets jsonb not null check (jsonb_array_length(secrets) between 1 and 2),
  last_success_at timestamptz,
  failing_since timestamptz,
  revision integer not null default 1,
  created_at timestamptz not null default lanyard_now(),
  updated_at timestamptz not null default lanyard_now(),
  primary key (tenant_id, id),
  foreign key (tenant_id, account_id) references api_accounts,
  check (event_code is null or client_code is not null),
  check ((status = 'disabled') = (disabled_reason is not null))
);
create index webhook_endpoints_of_account on webhook_endpoints (tenant_id, account_id);
-- What every change asks; and who has failed for so long that they are to be left alone.
create index webhook_endpoints_active on webhook_endpoints (tenant_id) where status = 'active';
create index webhook_endpoints_failing on webhook_endpoints (failing_since) where status = 'active' and failing_since is not null;
-- How deliveries go is no change of the endpoint.
create trigger webhook_endpoints_touch
before update of url, kinds, client_code, event_code, description, status, disabled_reason, secrets on webhook_endpoints
for each row execute function lanyard_touch();

-- What was told, to the letter: it is signed, and told again as it was.
create table webhook_messages (
  tenant_id integer not null,
  id text collate "C" not null check (id ~ '^msg_[0-9a-f]{24}$'),
  kind text not null,
  -- Null for a trial.
  event_id text collate "C",
  body text not null,
  -- With what only accounts may know that are let see sensitive answers; null where that is the same.
  full_body text,
  created_at timestamptz not null default lanyard_now(),
  primary key (tenant_id, id),
  foreign key (tenant_id, event_id) references events
);
create index webhook_messages_old on webhook_messages (created_at);

-- A message on its way to one endpoint.
create table webhook_deliveries (
  tenant_id integer not null,
  endpoint_id text collate "C" not null,
  message_id text collate "C" not null,
  kind text not null,
  status text not null default 'pending' check (status in ('pending', 'delivered', 'exhausted', 'dropped')),
  attempts integer not null default 0,
  -- Of those that it gets without being asked for again.
  tries_left integer not null default 10 check (tries_left >= 0),
  next_attempt_at timestamptz not null default lanyard_now(),
  lease_token text,
  lease_until timestamptz,
  replayed_at timestamptz,
  created_at timestamptz not null default lanyard_now(),
  ended_at timestamptz,
  primary key (tenant_id, endpoint_id, message_id),
  foreign key (tenant_id, endpoint_id) references webhook_endpoints on delete cascade,
  foreign key (tenant_id, message_id) references webhook_messages on delete cascade,
  check ((status = 'pending') = (ended_at is null)),
  check ((lease_token is null) = (lease_until is null))
);
create index webhook_deliveries_due on webhook_deliveries (tenant_id, endpoint_id, next_attempt_at) where status = 'pending';
create index webhook_deliveries_held on webhook_deliveries (tenant_id, endpoint_id, lease_until) where lease_until is not null;
create index webhook_deliveries_log on webhook_deliveries (tenant_id, endpoint_id, created_at, message_id);
create index webhook_deliveries_exhausted on webhook_deliveries (tenant_id, endpoint_id, ended_at) where status = 'exhausted';
create index webhook_deliveries_of_message on webhook_deliveries (tenant_id, message_id);

create table webhook_attempts (
  tenant_id integer not null,
  endpoint_id text collate "C" not null,
  message_id text collate "C" not null,
  number integer not null,
  at timestamptz not null default lanyard_now(),
  -- Null: no answer came.
  status integer,
  ms integer not null,
  error text,
  body text,
  replay boolean not null,
  primary key (tenant_id, endpoint_id, message_id, number),
  foreign key (tenant_id, endpoint_id, message_id) references webhook_deliveries on delete cascade
);

-- Access that is taken away, or an endpoint that is stopped, ends what was on its way for good, also when it is given back before the next attempt.
create function drop_uncovered_deliveries() returns trigger language plpgsql as $$
begin
  update webhook_deliveries d set status = 'dropped', ended_at = lanyard_now(), lease_token = null, lease_until = null
  from webhook_endpoints w, webhook_messages m
  left join events e on e.tenant_id = m.tenant_id and e.id = m.event_id
  left join clients c on c.tenant_id = e.tenant_id and c.id = e.client_id
  left join tenants t on t.id = e.tenant_id
  where w.tenant_id = new.tenant_id and w.account_id = new.id and d.tenant_id = w.tenant_id and d.endpoint_id = w.id and d.status = 'pending'
    and m.tenant_id = d.tenant_id and m.id = d.message_id
    and not (new.active and new.rest_access and (m.event_id is null
      or api_account_covers(new.allowed_tenants, new.allowed_clients, new.allowed_events, t.code, c.code, e.code)));
  return null;
end $$;
create trigger api_accounts_deliveries
after update of active, rest_access, allowed_tenants, allowed_clients, allowed_events on api_accounts
for each row execute function drop_uncovered_deliveries();

create function drop_stopped_deliveries() returns trigger language plpgsql as $$
begin
  update webhook_deliveries d set status = 'dropped', ended_at = lanyard_now(), lease_token = null, lease_until = null
  where d.tenant_id = new.tenant_id and d.endpoint_id = new.id and d.status = 'pending';
  return null;
end $$;
create trigger webhook_endpoints_stopped
after update of status on webhook_endpoints
for each row when (new.status <> 'active' and old.status = 'active') execute function drop_stopped_deliveries();
