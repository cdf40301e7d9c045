-- The clock of every expiry, limit and updated_at. Tests replace the function to move time; nothing else may.
create function lanyard_now() returns timestamptz language sql volatile parallel safe
  as $$ select date_trunc('milliseconds', clock_timestamp()) $$;

-- revision counts changes; updated_at never stands still or goes back for one row, whatever the clock does.
create function lanyard_touch() returns trigger language plpgsql as $$
begin
  new.revision := old.revision + 1;
  new.updated_at := greatest(lanyard_now(), old.updated_at + interval '1 millisecond');
  return new;
end $$;

create table tenants (
  id integer generated always as identity primary key,
  code text collate "C" not null unique check (code ~ '^[a-z0-9][a-z0-9-]{0,62}$'),
  name text not null,
  created_at timestamptz not null default lanyard_now()
);

create table clients (
  tenant_id integer not null references tenants,
  id text collate "C" not null check (id ~ '^[0-9a-f]{24}$'),
  code text collate "C" not null check (code ~ '^[a-z0-9][a-z0-9-]{0,62}$'),
  name text not null,
  active boolean not null default true,
  ai_assistants_allowed boolean not null default true,
  brand jsonb not null default '{}',
  default_currency text not null default 'EUR',
  default_timezone text not null default 'UTC',
  confirm_recipients integer not null default 50 check (confirm_recipients >= 0),
  confirm_deletes integer not null default 20 check (confirm_deletes >= 0),
  embed_hosts text[] not null default '{}',
  established_in text,
  tax_registrations jsonb not null default '[]',
  billing jsonb not null default '{}',
  payment_terms_days integer not null default 30 check (payment_terms_days between 0 and 365),
  revision integer not null default 1,
  created_at timestamptz not null default lanyard_now(),
  updated_at timestamptz not null default lanyard_now(),
  primary key (tenant_id, id),
  unique (tenant_id, code)
);
create trigger clients_touch before update on clients for each row execute function lanyard_touch();

create table events (
  tenant_id integer not null,
  id text collate "C" not null check (id ~ '^[0-9a-f]{24}$'),
  client_id text collate "C" not null,
  code text collate "C" not null check (code ~ '^[a-z0-9][a-z0-9-]{0,62}$'),
  name text not null,
  status text not null default 'draft' check (status in ('draft', 'published', 'archived')),
  timezone text not null,
  starts_on date not null,
  ends_on date not null,
  city text,
  country text,
  currency text not null,
  locale text not null default 'en',
  locales text[] not null default '{en}',
  test_mode boolean not null default true,
  published_version integer,
  draft_changed boolean not null default false,
  imported boolean not null default false,
  revision integer not null default 1,
  created_at timestamptz not null default lanyard_now(),
  updated_at timestamptz not null default lanyard_now(),
  primary key (tenant_id, id),
  unique (tenant_id, client_id, code),
  foreign key (tenant_id, client_id) references clients,
  check (starts_on <= ends_on)
);
create index events_by_code on events (tenant_id, code);
create index events_by_start on events (tenant_id, client_id, starts_on desc, code);
create trigger events_touch before update on events for each row execute function lanyard_touch();

-- One registration of one person at one event. Later migrations add the answers; counting needs only this.
create table participants (
  tenant_id integer not null,
  event_id text collate "C" not null,
  id text collate "C" not null check (id ~ '^[0-9a-f]{24}$'),
  status text not null default 'incomplete' check (status in ('incomplete', 'complete', 'waitlisted', 'cancelled')),
  is_test_data boolean not null default false,
  revision integer not null default 1,
  created_at timestamptz not null default lanyard_now(),
  updated_at timestamptz not null default lanyard_now(),
  primary key (tenant_id, event_id, id),
  foreign key (tenant_id, event_id) references events
);
create index participants_complete on participants (tenant_id, event_id) where status = 'complete' and not is_test_data;
create trigger participants_touch before update on participants for each row execute function lanyard_touch();
