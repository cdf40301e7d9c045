-- Words that are spelled almost right. PostgreSQL trusts this extension: whoever may create tables in the database may create it.
create extension if not exists pg_trgm;

-- Who gave the role; when is created_at. Null: it was given outside of a request, by the command line or before this version.
alter table event_staff
  add column assigned_by text collate "C",
  add column note text check (length(note) between 1 and 500),
  add foreign key (tenant_id, assigned_by) references users (tenant_id, id);

-- A note beside a role is no change of access: it must not sign anybody's apps out.
drop trigger event_staff_changed on event_staff;
create trigger event_staff_changed after insert or update of tenant_id, event_id, user_id, role or delete on event_staff
  for each row execute function access_changed();

-- array_to_string is not declared immutable because of types that print by setting; texts do not.
create function memory_words(title text, tags text[], body text) returns tsvector language sql immutable parallel safe
  as $$ select setweight(to_tsvector('simple', title), 'A') || setweight(to_tsvector('simple', array_to_string(tags, ' ')), 'B')
    || to_tsvector('simple', body) $$;

-- What organizers want their assistants to know: about the whole client, or about one event of it.
create table memories (
  tenant_id integer not null,
  id text collate "C" not null check (id ~ '^[0-9a-f]{24}$'),
  client_id text collate "C" not null,
  event_id text collate "C",
  title text not null check (length(title) between 1 and 160),
  body text not null check (length(body) between 1 and 8000),
  tags text[] not null default '{}',
  pinned boolean not null default false,
  source text not null default 'organizer' check (source in ('assistant', 'organizer')),
  created_by text collate "C" not null,
  expires_at timestamptz,
  words tsvector not null generated always as (memory_words(title, tags, body)) stored,
  revision integer not null default 1,
  created_at timestamptz not null default lanyard_now(),
  updated_at timestamptz not null default lanyard_now(),
  primary key (tenant_id, id),
  foreign key (tenant_id, client_id) references clients,
  foreign key (tenant_id, event_id) references events,
  foreign key (tenant_id, created_by) references users (tenant_id, id)
);
create index memories_newest on memories (tenant_id, client_id, pinned desc, updated_at desc, id desc);
create index memories_words on memories using gin (words);
create trigger memories_touch before update on memories for each row execute function lanyard_touch();

-- How assistants should work: one text for the client, and one for each event, which goes before it. An empty one says nothing.
create table custom_instructions (
  tenant_id integer not null,
  id text collate "C" not null check (id ~ '^[0-9a-f]{24}$'),
  client_id text collate "C" not null,
  event_id text collate "C",
  body text not null check (length(body) <= 20000),
  updated_by text collate "C" not null,
  revision integer not null default 1,
  created_at timestamptz not null default lanyard_now(),
  updated_at timestamptz not null default lanyard_now(),
  primary key (tenant_id, id),
  unique nulls not distinct (tenant_id, client_id, event_id),
  foreign key (tenant_id, client_id) references clients,
  foreign key (tenant_id, event_id) references events,
  foreign key (tenant_id, updated_by) references users (tenant_id, id)
);
create trigger custom_instructions_touch before update on custom_instructions for each row execute function lanyard_touch();
