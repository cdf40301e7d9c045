create table users (
  id text collate "C" primary key check (id ~ '^[0-9a-f]{24}$'),
  tenant_id integer not null references tenants,
  email text not null,
  email_norm text collate "C" not null unique generated always as (lower(email)) stored,
  name text not null,
  active boolean not null default true,
  password_hash text,
  -- Grants remember the value they were made at: raising it ends every connected app of the user.
  access_version integer not null default 1,
  revision integer not null default 1,
  created_at timestamptz not null default lanyard_now(),
  updated_at timestamptz not null default lanyard_now(),
  unique (tenant_id, id)
);
create trigger users_touch before update on users for each row execute function lanyard_touch();

-- Deactivation raises the version too, or reactivating an account would revive its old tokens.
create function users_deactivated() returns trigger language plpgsql as $$
begin
  new.access_version := old.access_version + 1;
  return new;
end $$;
create trigger users_deactivated before update on users for each row
  when (old.active and not new.active) execute function users_deactivated();

create table memberships (
  tenant_id integer not null,
  user_id text collate "C" not null,
  client_id text collate "C" not null,
  role text not null,
  created_at timestamptz not null default lanyard_now(),
  primary key (tenant_id, user_id, client_id),
  foreign key (tenant_id, user_id) references users (tenant_id, id),
  foreign key (tenant_id, client_id) references clients
);
create index memberships_of_client on memberships (tenant_id, client_id);

create table event_staff (
  tenant_id integer not null,
  event_id text collate "C" not null,
  user_id text collate "C" not null,
  role text not null,
  created_at timestamptz not null default lanyard_now(),
  primary key (tenant_id, event_id, user_id),
  foreign key (tenant_id, event_id) references events,
  foreign key (tenant_id, user_id) references users (tenant_id, id)
);
create index event_staff_of_user on event_staff (tenant_id, user_id);

-- An organizer whose access changes signs in again, so no app keeps a role its owner lost.
create function access_changed() returns trigger language plpgsql as $$
begin
  if tg_op <> 'INSERT' then
    update users set access_version = access_version + 1 where tenant_id = old.tenant_id and id = old.user_id;
  end if;
  if tg_op = 'INSERT' or (tg_op = 'UPDATE' and new.user_id <> old.user_id) then
    update users set access_version = access_version + 1 where tenant_id = new.tenant_id and id = new.user_id;
  end if;
  return null;
end $$;
create trigger memberships_changed after insert or update or delete on memberships for each row execute function access_changed();
create trigger event_staff_changed after insert or update or delete on event_staff for each row execute function access_changed();

create table api_accounts (
  tenant_id integer not null references tenants,
  id text collate "C" not null check (id ~ '^[0-9a-f]{24}$'),
  name text not null,
  active boolean not null default true,
  can_act_as_participant_agent boolean not null default false,
  rest_access boolean not null default true,
  sensitive_data boolean not null default false,
  contact_email text,
  allowed_tenants text[] not null default '{}',
  -- [{ tenantCode, clientCode }] and [{ tenantCode, clientCode, eventCode }]
  allowed_clients jsonb not null default '[]',
  allowed_events jsonb not null default '[]',
  rate_limit_per_minute integer not null default 60 check (rate_limit_per_minute > 0),
  otp_suspended_at timestamptz,
  otp_suspended_reason text,
  revision integer not null default 1,
  created_at timestamptz not null default lanyard_now(),
  updated_at timestamptz not null default lanyard_now(),
  primary key (tenant_id, id)
);
create trigger api_accounts_touch before update on api_accounts for each row execute function lanyard_touch();

create table api_tokens (
  hash bytea primary key,
  tenant_id integer not null,
  account_id text collate "C" not null,
  hint text not null,
  created_at timestamptz not null default lanyard_now(),
  expires_at timestamptz,
  revoked_at timestamptz,
  last_used_at timestamptz,
  foreign key (tenant_id, account_id) references api_accounts
);
create index api_tokens_of_account on api_tokens (tenant_id, account_id);

create table oauth_clients (
  id text collate "C" primary key,
  name text not null,
  redirect_uris text[] not null default '{}',
  created_at timestamptz not null default lanyard_now()
);

create table oauth_grants (
  id text collate "C" primary key check (id ~ '^[0-9a-f]{24}$'),
  tenant_id integer not null,
  user_id text collate "C" not null,
  client_id text collate "C" not null references oauth_clients,
  resource text not null,
  access_version integer not null,
  connected_at timestamptz not null default lanyard_now(),
  last_used_at timestamptz not null default lanyard_now(),
  revoked_at timestamptz,
  revoked_because text,
  foreign key (tenant_id, user_id) references users (tenant_id, id)
);
create index oauth_grants_of_user on oauth_grants (user_id, client_id);

create table oauth_tokens (
  hash bytea primary key,
  kind text not null check (kind in ('access', 'refresh')),
  grant_id text collate "C" not null references oauth_grants on delete cascade,
  created_at timestamptz not null default lanyard_now(),
  expires_at timestamptz not null
);
create index oauth_tokens_of_grant on oauth_tokens (grant_id);

-- One row per key: the running minute and what it counted. Losing it in a crash costs one minute of counting, so it is unlogged.
create unlogged table rate_windows (
  key text collate "C" primary key,
  window_start timestamptz not null,
  count integer not null
);
