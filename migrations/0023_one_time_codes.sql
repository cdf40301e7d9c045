-- Six digits by mail that say who reads a mailbox. Only a hash is kept, and none once the code is good for nothing; the row stays two days,
-- because limits are counted from it.
create table one_time_codes (
  tenant_id integer not null,
  id text collate "C" not null check (id ~ '^[0-9a-f]{24}$'),
  purpose text not null check (purpose in ('assistant', 'web', 'company', 'groupAdmin', 'signer', 'report')),
  event_id text collate "C" not null,
  email_norm text collate "C" not null,
  -- Through whom it was asked for; null on our own pages.
  account_id text collate "C",
  code_hash text collate "C",
  -- Of the link in the same mail, where there is one: it cannot be guessed, so wrong guesses at the code leave it.
  link_hash bytea,
  attempts integer not null default 0 check (attempts between 0 and 3),
  -- When each wrong guess was made: what an account may guess is counted over a day.
  wrong_at timestamptz[] not null default '{}',
  created_at timestamptz not null default lanyard_now(),
  expires_at timestamptz not null,
  used_at timestamptz,
  burned_at timestamptz,
  superseded_at timestamptz,
  primary key (tenant_id, id),
  foreign key (tenant_id, event_id) references events,
  foreign key (tenant_id, account_id) references api_accounts,
  constraint one_time_codes_guesses check (attempts = cardinality(wrong_at)),
  constraint one_time_codes_account check ((purpose = 'assistant') = (account_id is not null)),
  constraint one_time_codes_blanked check (code_hash is null or (used_at is null and burned_at is null and superseded_at is null)),
  constraint one_time_codes_link_blanked check (link_hash is null or (used_at is null and superseded_at is null))
);
create unique index one_time_codes_active on one_time_codes (tenant_id, purpose, event_id, email_norm, account_id) nulls not distinct
where used_at is null and burned_at is null and superseded_at is null;
-- What one address is sent by assistants is counted over all tenants: it is one mailbox.
create index one_time_codes_of_email on one_time_codes (email_norm, created_at) where purpose = 'assistant';
create index one_time_codes_of_account on one_time_codes (tenant_id, account_id, created_at) where account_id is not null;
create index one_time_codes_of_mailbox on one_time_codes (tenant_id, purpose, event_id, email_norm, created_at);
create unique index one_time_codes_of_link on one_time_codes (tenant_id, link_hash) where link_hash is not null;
create index one_time_codes_old on one_time_codes (created_at);

-- From when on wrong guesses count against the account: what an administrator has seen and lifted does not stop it again.
alter table api_accounts add column otp_lifted_at timestamptz;

-- One person at one event in a browser, for twelve hours. By a code it is good for what that mailbox has registered, by a link for the one
-- registration that the link names; which of several the person chose is kept with it.
create table person_sessions (
  tenant_id integer not null,
  hash bytea not null,
  event_id text collate "C" not null,
  email text not null,
  participant_ids text[] not null default '{}',
  participant_id text collate "C",
  created_at timestamptz not null default lanyard_now(),
  last_seen_at timestamptz not null default lanyard_now(),
  expires_at timestamptz not null,
  primary key (tenant_id, hash),
  foreign key (tenant_id, event_id) references events,
  constraint person_sessions_chosen check (participant_id is null or participant_id = any(participant_ids))
);
create index person_sessions_expired on person_sessions (expires_at);
