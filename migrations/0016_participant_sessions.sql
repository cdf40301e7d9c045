-- Who registered: what a session is held against. The rest of a registration comes with it.
alter table participants
  add column first_name text,
  add column last_name text,
  add column email text,
  add column email_norm text collate "C" generated always as (lower(email)) stored;
create index participants_of_email on participants (tenant_id, event_id, email_norm);

-- Clients and events grant, tenants only restrict: tenants alone, or nothing set, cover nothing.
create function api_account_covers(tenants text[], clients jsonb, events jsonb, tenant text, client text, event text) returns boolean
language sql immutable as $$
  select (cardinality(tenants) = 0 or tenant = any(tenants))
    and (clients @> jsonb_build_array(jsonb_build_object('tenantCode', tenant, 'clientCode', client))
      or events @> jsonb_build_array(jsonb_build_object('tenantCode', tenant, 'clientCode', client, 'eventCode', event)))
$$;

-- One person at one event, through one API account, for an hour. Never lengthened; the registrations it is good for are fixed for life.
create table participant_sessions (
  tenant_id integer not null,
  hash bytea not null,
  account_id text collate "C" not null,
  event_id text collate "C" not null,
  email text not null,
  participant_ids text[] not null default '{}',
  created_at timestamptz not null default lanyard_now(),
  expires_at timestamptz not null,
  ended_at timestamptz,
  primary key (tenant_id, hash),
  foreign key (tenant_id, account_id) references api_accounts,
  foreign key (tenant_id, event_id) references events
);
create index participant_sessions_of_account on participant_sessions (tenant_id, account_id) where ended_at is null;
create index participant_sessions_expired on participant_sessions (expires_at);

-- Access that is taken away ends the sessions for good, also when it is given back before anybody called.
create function end_uncovered_sessions() returns trigger language plpgsql as $$
begin
  update participant_sessions s set ended_at = lanyard_now()
  from events e join clients c on c.tenant_id = e.tenant_id and c.id = e.client_id join tenants t on t.id = e.tenant_id
  where s.tenant_id = new.tenant_id and s.account_id = new.id and s.ended_at is null
    and e.tenant_id = s.tenant_id and e.id = s.event_id
    and not (new.active and new.can_act_as_participant_agent
      and api_account_covers(new.allowed_tenants, new.allowed_clients, new.allowed_events, t.code, c.code, e.code));
  return null;
end $$;
create trigger api_accounts_sessions
after update of active, can_act_as_participant_agent, allowed_tenants, allowed_clients, allowed_events on api_accounts
for each row execute function end_uncovered_sessions();
