-- The program of an event: what is on, when and in which room, who speaks there, and who has a place or waits for one.

create table speakers (
  tenant_id integer not null,
  event_id text collate "C" not null,
  id text collate "C" not null check (id ~ '^[0-9a-f]{24}$'),
  contact_id text collate "C",
  participant_id text collate "C",
  first_name text not null,
  last_name text not null,
  email text not null,
  email_norm text collate "C" not null generated always as (lower(email)) stored,
  company text,
  job_title text,
  bio text,
  headshot_file_id text collate "C",
  links text[] not null default '{}',
  country text,
  status text not null default 'prospect' check (status in ('prospect', 'invited', 'confirmed', 'declined', 'withdrawn')),
  -- [{ from, until }]; empty is always.
  availability jsonb not null default '[]' check (jsonb_typeof(availability) = 'array'),
  disclosure text,
  answers jsonb not null default '{}',
  revision integer not null default 1,
  created_at timestamptz not null default lanyard_now(),
  updated_at timestamptz not null default lanyard_now(),
  searched text not null generated always as (lanyard_searched(first_name, last_name, email, company)) stored,
  primary key (tenant_id, event_id, id),
  unique (tenant_id, event_id, email_norm),
  foreign key (tenant_id, event_id) references events,
  foreign key (tenant_id, event_id, participant_id) references participants
);
create index speakers_named on speakers (tenant_id, event_id, last_name, first_name, id);
create index speakers_of_participant on speakers (tenant_id, event_id, participant_id) where participant_id is not null;
create index speakers_searched on speakers using gin (searched gin_trgm_ops);
create trigger speakers_touch before update on speakers for each row execute function lanyard_touch();

create table sessions (
  tenant_id integer not null,
  event_id text collate "C" not null,
  id text collate "C" not null check (id ~ '^[0-9a-f]{24}$'),
  code text collate "C" not null check (code ~ '^[a-z0-9][a-z0-9-]{0,62}$'),
  title text not null check (length(title) between 1 and 200),
  abstract text,
  track_code text collate "C" not null,
  format_code text collate "C" not null,
  room_code text collate "C",
  starts_at timestamptz,
  ends_at timestamptz,
  -- Of people; null is as many as come.
  capacity integer check (capacity >= 0),
  submission_id text collate "C",
  -- Only for those who have it.
  product_code text collate "C",
  status text not null default 'draft' check (status in ('draft', 'scheduled', 'cancelled')),
  revision integer not null default 1,
  created_at timestamptz not null default lanyard_now(),
  updated_at timestamptz not null default lanyard_now(),
  searched text not null generated always as (lanyard_searched(title, code)) stored,
  primary key (tenant_id, event_id, id),
  unique (tenant_id, event_id, code),
  foreign key (tenant_id, event_id) references events,
  constraint sessions_span check (starts_at < ends_at and (starts_at is null) = (ends_at is null)),
  constraint sessions_scheduled check (status <> 'scheduled' or starts_at is not null),
  -- X9. Where one ends another may begin. Two may change rooms in one transaction.
  constraint sessions_room_once exclude using gist (
    tenant_id with =, event_id with =, room_code with =, tstzrange(starts_at, ends_at) with &&)
    where (status = 'scheduled' and room_code is not null) deferrable initially immediate
);
create index sessions_in_order on sessions (tenant_id, event_id, starts_at, id) where status = 'scheduled';
create index sessions_of_product on sessions (tenant_id, event_id, product_code) where product_code is not null;
create index sessions_searched on sessions using gin (searched gin_trgm_ops);
create trigger sessions_touch before update on sessions for each row execute function lanyard_touch();

create table session_speakers (
  tenant_id integer not null,
  event_id text collate "C" not null,
  session_id text collate "C" not null,
  speaker_id text collate "C" not null,
  role text not null default 'speaker' check (role in ('speaker', 'moderator', 'panelist', 'presenter', 'author')),
  position integer not null check (position > 0),
  -- While their session is scheduled; here to be held against others. Kept by the triggers below.
  during tstzrange,
  primary key (tenant_id, event_id, session_id, speaker_id),
  foreign key (tenant_id, event_id, session_id) references sessions,
  foreign key (tenant_id, event_id, speaker_id) references speakers,
  -- X9.
  constraint session_speakers_once exclude using gist (
    tenant_id with =, event_id with =, speaker_id with =, during with &&) where (during is not null) deferrable initially immediate
);
create index session_speakers_of_speaker on session_speakers (tenant_id, event_id, speaker_id);

-- Whoever moves the session meanwhile is waited for, so that nobody speaks at a time that is not its own any more.
create function session_speakers_when() returns trigger language plpgsql as $$
begin
  select case when s.status = 'scheduled' then tstzrange(s.starts_at, s.ends_at) end into new.during from sessions s
  where s.tenant_id = new.tenant_id and s.event_id = new.event_id and s.id = new.session_id for no key update;
  return new;
end $$;
create trigger session_speakers_when before insert on session_speakers for each row execute function session_speakers_when();

create function sessions_move_speakers() returns trigger language plpgsql as $$
begin
  update session_speakers set during = case when new.status = 'scheduled' then tstzrange(new.starts_at, new.ends_at) end
  where tenant_id = new.tenant_id and event_id = new.event_id and session_id = new.id;
  return null;
end $$;
create trigger sessions_moved after update of starts_at, ends_at, status on sessions for each row
when ((old.starts_at, old.ends_at, old.status) is distinct from (new.starts_at, new.ends_at, new.status))
execute function sessions_move_speakers();

-- Places of a session are counted with all else that is scarce, under `session:<id>`. A limit that falls below use goes into overage.
create function sessions_limit() returns trigger language plpgsql as $$
begin
  if tg_op = 'DELETE' then
    delete from inventory where tenant_id = old.tenant_id and event_id = old.event_id and key = 'session:' || old.id;
    return null;
  end if;
  insert into inventory as i (tenant_id, event_id, key, capacity) values (new.tenant_id, new.event_id, 'session:' || new.id, new.capacity)
  on conflict (tenant_id, event_id, key) do update set capacity = excluded.capacity,
    overage = case when excluded.capacity is null then 0 else greatest(0, i.held + i.sold - excluded.capacity) end;
  return null;
end $$;
create trigger sessions_limited after insert or delete or update of capacity on sessions for each row execute function sessions_limit();

create table session_enrolments (
  tenant_id integer not null,
  event_id text collate "C" not null,
  session_id text collate "C" not null,
  participant_id text collate "C" not null,
  is_test_data boolean not null,
  status text not null check (status in ('enrolled', 'waitlisted', 'cancelled')),
  -- Who joined the line before has the smaller one.
  position bigint,
  -- Grows with every change, so that calendars know which is newer.
  revision integer not null default 1,
  created_at timestamptz not null default lanyard_now(),
  updated_at timestamptz not null default lanyard_now(),
  primary key (tenant_id, event_id, session_id, participant_id),
  foreign key (tenant_id, event_id, session_id) references sessions,
  foreign key (tenant_id, event_id, participant_id, is_test_data) references participants (tenant_id, event_id, id, is_test_data),
  constraint session_enrolments_waiting check ((status = 'waitlisted') = (position is not null))
) with (fillfactor = 80);
create unique index session_enrolments_line on session_enrolments (tenant_id, event_id, session_id, position) where status = 'waitlisted';
create index session_enrolments_of_participant on session_enrolments (tenant_id, event_id, participant_id);
create trigger session_enrolments_touch before update on session_enrolments for each row execute function lanyard_touch();

-- X9. Whoever is enrolled is counted where it is limited: the check there refuses one too many, whoever writes the row. Test data takes no place.
create function session_enrolments_count() returns trigger language plpgsql as $$
declare
  was boolean := tg_op <> 'INSERT' and old.status = 'enrolled' and not old.is_test_data;
  is_now boolean := tg_op <> 'DELETE' and new.status = 'enrolled' and not new.is_test_data;
begin
  if was and not is_now then
    perform inventory_free(old.tenant_id, old.event_id,
      jsonb_build_array(jsonb_build_object('key', 'session:' || old.session_id, 'quantity', 1)), false);
  elsif is_now and not was then
    update inventory set sold = sold + 1
    where tenant_id = new.tenant_id and event_id = new.event_id and key = 'session:' || new.session_id;
  end if;
  -- Others are recommended by what they hear too.
  if was then
    insert into recommendation_changes (tenant_id, event_id, participant_id) values (old.tenant_id, old.event_id, old.participant_id);
  end if;
  if is_now then
    insert into recommendation_changes (tenant_id, event_id, participant_id) values (new.tenant_id, new.event_id, new.participant_id);
  end if;
  return null;
end $$;
create trigger session_enrolments_counted after insert or delete or update of status, participant_id on session_enrolments
for each row execute function session_enrolments_count();

create function sessions_recommend() returns trigger language plpgsql as $$
begin
  insert into recommendation_changes (tenant_id, event_id, participant_id)
  select e.tenant_id, e.event_id, e.participant_id from session_enrolments e
  where e.tenant_id = new.tenant_id and e.event_id = new.event_id and e.session_id = new.id and e.status = 'enrolled' and not e.is_test_data;
  return null;
end $$;
create trigger sessions_recommended after update of title, status on sessions for each row
when ((old.title, old.status) is distinct from (new.title, new.status)) execute function sessions_recommend();
