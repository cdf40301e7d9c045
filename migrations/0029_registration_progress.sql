-- What a registration that somebody is filling in needs beside their answers, which are on the participant's own row: how far they came, what they
-- agreed to in which words, how they want to pay, and what they are content to wait for. It stays afterwards as the proof of what was agreed to.
create table registration_progress (
  tenant_id integer not null,
  event_id text collate "C" not null,
  participant_id text collate "C" not null,
  is_test_data boolean not null,
  pages_done text[] not null default '{}',
  -- By policy: when, how and in which words, with the hash of the text they saw. A text that changed is asked again.
  policies jsonb not null default '{}',
  method text check (method in ('card', 'bank', 'cheque', 'onsite')),
  -- Keys of places that were full when they were chosen.
  waits text[] not null default '{}',
  -- Whether the places were held a second time on request, which is granted once.
  more_time boolean not null default false,
  visit_id text collate "C",
  created_at timestamptz not null default lanyard_now(),
  primary key (tenant_id, event_id, participant_id),
  foreign key (tenant_id, event_id, participant_id, is_test_data) references participants (tenant_id, event_id, id, is_test_data) on delete cascade
);
