-- What people let others see of them, and who and what they are recommended.

alter table participants
  -- Whether other participants may be recommended this person.
  add column visible_to_participants boolean not null default false,
  add column avatar_choice text not null default 'headshot' check (avatar_choice in ('headshot', 'avatar')),
  add column ai_avatar_file_id text collate "C",
  add column ai_profile text,
  -- Who wrote it, from which answers, in which tone and language, and when.
  add column ai_profile_origin jsonb,
  add constraint participants_sharing check (
    jsonb_typeof(sharing) = 'object' and not jsonb_path_exists(sharing, '$.* ? (@ != "share" && @ != "restrict")')),
  add constraint participants_profile check ((ai_profile is null) = (ai_profile_origin is null));

-- Of everybody who registered: what they are interested in, hold and will hear, and the terms of what they say about themselves. Kept by recurring work.
create table recommendation_profiles (
  tenant_id integer not null,
  event_id text collate "C" not null,
  participant_id text collate "C" not null,
  -- A short name for long lists.
  person bigint generated always as identity,
  visible boolean not null,
  interests text[] not null,
  sessions text[] not null,
  products text[] not null,
  -- How often each term stands in their text.
  terms jsonb not null,
  company text,
  primary key (tenant_id, event_id, participant_id),
  unique (tenant_id, event_id, person),
  foreign key (tenant_id, event_id) references events
);
create index recommendation_profiles_visible on recommendation_profiles (tenant_id, event_id, participant_id) where visible;

-- The inverted index: who of those who may be found has an interest, or hears a session.
create table recommendation_postings (
  tenant_id integer not null,
  event_id text collate "C" not null,
  -- `i:<field>=<choice>` or `s:<session>`.
  key text collate "C" not null,
  person bigint not null,
  -- All that this person has of the kind, weighed as it was when this was written: enough to choose whom to look at more closely.
  total real not null,
  primary key (tenant_id, event_id, key, person) include (total),
  foreign key (tenant_id, event_id) references events
);
create index recommendation_postings_of_person on recommendation_postings (tenant_id, event_id, person);

-- How many people have something, of all who registered: an interest, a term, a product, two products together.
create table recommendation_counts (
  tenant_id integer not null,
  event_id text collate "C" not null,
  key text collate "C" not null,
  people integer not null check (people >= 0),
  primary key (tenant_id, event_id, key),
  foreign key (tenant_id, event_id) references events
);

-- Whose profile is to be written anew; without a participant, everybody's. Only ever added to by those who change something, so nobody waits here.
create table recommendation_changes (
  tenant_id integer not null,
  event_id text collate "C" not null,
  id bigint generated always as identity,
  participant_id text collate "C",
  primary key (tenant_id, event_id, id),
  foreign key (tenant_id, event_id) references events
);

-- Where the work on an event stands; locked by whoever does it.
create table recommendation_work (
  tenant_id integer not null,
  event_id text collate "C" not null,
  -- While everybody's profiles are written anew: up to whom that was done.
  done_up_to text collate "C",
  primary key (tenant_id, event_id),
  foreign key (tenant_id, event_id) references events
);

create function participants_recommend_added() returns trigger language plpgsql as $$
begin
  insert into recommendation_changes (tenant_id, event_id, participant_id)
  select tenant_id, event_id, id from added where status = 'complete' and not is_test_data;
  return null;
end $$;
create trigger participants_recommend_added after insert on participants referencing new table as added
for each statement execute function participants_recommend_added();

create function participants_recommend_changed() returns trigger language plpgsql as $$
begin
  insert into recommendation_changes (tenant_id, event_id, participant_id)
  select n.tenant_id, n.event_id, n.id from after n join before o on o.tenant_id = n.tenant_id and o.event_id = n.event_id and o.id = n.id
  where not n.is_test_data and 'complete' in (n.status, o.status)
    and (n.status, n.visible_to_participants, n.job_title, n.department, n.bio, n.company, n.custom_field_responses, n.answers, n.sharing)
    is distinct from (o.status, o.visible_to_participants, o.job_title, o.department, o.bio, o.company, o.custom_field_responses, o.answers, o.sharing);
  return null;
end $$;
create trigger participants_recommend_changed after update on participants referencing old table as before new table as after
for each statement execute function participants_recommend_changed();

create function participants_recommend_removed() returns trigger language plpgsql as $$
begin
  insert into recommendation_changes (tenant_id, event_id, participant_id)
  select tenant_id, event_id, id from removed where status = 'complete' and not is_test_data;
  return null;
end $$;
create trigger participants_recommend_removed after delete on participants referencing old table as removed
for each statement execute function participants_recommend_removed();

create function order_lines_recommend() returns trigger language plpgsql as $$
begin
  insert into recommendation_changes (tenant_id, event_id, participant_id)
  select distinct tenant_id, event_id, participant_id from added where participant_id is not null and product_code is not null and not is_test_data;
  return null;
end $$;
create trigger order_lines_recommend after insert on order_lines referencing new table as added
for each statement execute function order_lines_recommend();

-- Another version may ask, name or keep to itself other things.
create function events_recommend() returns trigger language plpgsql as $$
begin
  insert into recommendation_changes (tenant_id, event_id) values (new.tenant_id, new.id);
  return null;
end $$;
create trigger events_recommend after update of published_version, locale on events for each row
when (new.published_version is distinct from old.published_version or new.locale is distinct from old.locale) execute function events_recommend();

-- Who registered before this was kept.
insert into recommendation_changes (tenant_id, event_id)
select distinct tenant_id, event_id from participants where status = 'complete' and not is_test_data;
