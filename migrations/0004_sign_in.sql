-- Organizers' own sign-in, and the OAuth authorization server that their assistants use.

alter table users
  add column totp_secret text,          -- sealed; null: not set up
  add column totp_confirmed_at timestamptz,
  add column totp_last_step bigint,     -- each code works once
  add column password_changed_at timestamptz;

create table recovery_codes (
  user_id text collate "C" not null references users on delete cascade,
  hash bytea not null,
  used_at timestamptz,
  primary key (user_id, hash)
);

create table browser_sessions (
  token_hash bytea primary key,
  kind text not null default 'organizer' check (kind in ('organizer')),
  user_id text collate "C" not null references users on delete cascade,
  -- The second factor is still owed; until then the session opens nothing but its page.
  totp_pending boolean not null default false,
  user_agent text not null default '',
  created_at timestamptz not null default lanyard_now(),
  last_seen_at timestamptz not null default lanyard_now(),
  expires_at timestamptz not null
);
create index browser_sessions_of_user on browser_sessions (user_id);

-- Links that set a password: a forgotten one, or the first one of an invited organizer. Single use.
create table password_links (
  hash bytea primary key,
  user_id text collate "C" not null references users on delete cascade,
  kind text not null check (kind in ('reset', 'invite')),
  created_at timestamptz not null default lanyard_now(),
  expires_at timestamptz not null,
  used_at timestamptz
);

-- Failed sign-ins of the last minutes, by account and by address.
create unlogged table sign_in_failures (
  id bigint generated always as identity primary key,
  account text collate "C" not null,
  address text collate "C" not null,
  at timestamptz not null default lanyard_now()
);
create index sign_in_failures_of_account on sign_in_failures (account, at);
create index sign_in_failures_of_address on sign_in_failures (address, at);

-- The key printed at the first start in production; it opens the set-up page once.
create table setup_keys (
  hash bytea primary key,
  created_at timestamptz not null default lanyard_now(),
  used_at timestamptz
);

alter table oauth_clients
  add column secret_hash bytea,
  add column auth_method text not null default 'none' check (auth_method in ('none', 'client_secret_basic', 'client_secret_post')),
  -- Null: registered dynamically. Else when its metadata document was last fetched.
  add column fetched_at timestamptz,
  add column first_grant_at timestamptz;

create table oauth_requests (
  id_hash bytea primary key,
  -- Bound to the browser that first showed the consent page.
  session_hash bytea,
  client_id text collate "C" not null references oauth_clients on delete cascade,
  redirect_uri text not null,
  state text,
  challenge text not null,
  scope text not null,
  resource text not null,
  created_at timestamptz not null default lanyard_now(),
  expires_at timestamptz not null
);

create table oauth_codes (
  hash bytea primary key,
  user_id text collate "C" not null references users on delete cascade,
  access_version integer not null,
  client_id text collate "C" not null references oauth_clients on delete cascade,
  redirect_uri text not null,
  challenge text not null,
  scope text not null,
  resource text not null,
  expires_at timestamptz not null,
  used_at timestamptz,
  grant_id text collate "C" references oauth_grants on delete set null
);

alter table oauth_grants
  add column scope text not null default 'organizer',
  -- The website the app returns to, as shown on the consent page.
  add column website text not null default '';

alter table oauth_tokens
  add column rotated_at timestamptz,
  -- With the token itself this gives its successor again; alone it gives nothing.
  add column successor_nonce bytea,
  add column successor_hash bytea;
