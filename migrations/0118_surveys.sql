-- Surveys: invitations with a personal link, responses and their answers.

create table survey_invites (
  tenant_id integer not null,
  event_id text collate "C" not null,
  id text collate "C" not null check (id ~ '^[0-9a-f]{24}$'),
  survey_code text collate "C" not null,
  participant_id text collate "C" not null,
  is_test_data boolean not null default false,
  -- The session that the invitation asks about; null unless the survey is sent per session.
  session_id text collate "C",
  token_hash bytea not null check (length(token_hash) = 32),
  status text not null default 'queued'
    check (status in ('queued', 'delivered', 'bounced', 'opened', 'started', 'completed', 'declined')),
  reminders integer not null default 0 check (reminders >= 0),
  message_id text collate "C",
  sent_at timestamptz,
  -- Null for anonymous surveys: with the day of a response it would show who gave it.
  responded_at timestamptz,
  created_at timestamptz not null default lanyard_now(),
  -- Answers do not change this time, because it would show the day on which an anonymous answer was given.
  updated_at timestamptz not null default lanyard_now(),
  primary key (tenant_id, event_id, id),
  unique (tenant_id, token_hash),
  constraint survey_invites_once unique nulls not distinct (tenant_id, event_id, survey_code, participant_id, session_id),
  foreign key (tenant_id, event_id, participant_id, is_test_data)
    references participants (tenant_id, event_id, id, is_test_data) on delete cascade,
  foreign key (tenant_id, event_id, session_id) references sessions
);
create index survey_invites_of_token on survey_invites (token_hash);
create index survey_invites_of_survey on survey_invites (tenant_id, event_id, survey_code, status);
create index survey_invites_of_participant on survey_invites (tenant_id, event_id, participant_id);

create table survey_responses (
  tenant_id integer not null,
  event_id text collate "C" not null,
  -- Ids of anonymous responses are random and do not contain the time.
  id text collate "C" not null check (id ~ '^[0-9a-f]{24}$'),
  survey_code text collate "C" not null,
  session_id text collate "C",
  is_anonymous boolean not null,
  participant_id text collate "C",
  invite_id text collate "C",
  -- Lets the holder of the link continue an anonymous response. It cannot be computed from the stored hash of the token, and it is
  -- deleted once the invitation is marked as completed.
  resume_hash bytea check (length(resume_hash) = 32),
  is_test_data boolean not null default false,
  status text not null default 'partial' check (status in ('partial', 'complete')),
  started_at timestamptz not null,
  completed_at timestamptz,
  locale text not null,
  flow_slug text collate "C",
  tags text[] not null default '{}',
  -- Codes of the questions on the pages that were answered.
  shown text[] not null default '{}',
  created_at timestamptz not null,
  updated_at timestamptz not null,
  primary key (tenant_id, event_id, id),
  -- One response per invitation.
  unique (tenant_id, event_id, invite_id),
  unique (tenant_id, event_id, resume_hash),
  constraint survey_responses_person check (case when is_anonymous then participant_id is null and invite_id is null
    else participant_id is not null and invite_id is not null and resume_hash is null end),
  -- Times of anonymous responses are cut to the day. Time zones differ from UTC by multiples of 15 minutes.
  constraint survey_responses_days check (not is_anonymous or (extract(epoch from started_at)::bigint % 900 = 0
    and extract(epoch from completed_at)::bigint % 900 = 0 and extract(epoch from created_at)::bigint % 900 = 0
    and extract(epoch from updated_at)::bigint % 900 = 0)),
  constraint survey_responses_completed check ((status = 'complete') = (completed_at is not null)),
  foreign key (tenant_id, event_id) references events,
  foreign key (tenant_id, event_id, session_id) references sessions,
  foreign key (tenant_id, event_id, invite_id) references survey_invites on delete cascade,
  foreign key (tenant_id, event_id, participant_id, is_test_data)
    references participants (tenant_id, event_id, id, is_test_data) on delete cascade
);
create index survey_responses_of_survey on survey_responses (tenant_id, event_id, survey_code, status, completed_at, id);
create index survey_responses_of_participant on survey_responses (tenant_id, event_id, participant_id) where participant_id is not null;
create index survey_responses_resumable on survey_responses (completed_at) where resume_hash is not null;

create table survey_answers (
  tenant_id integer not null,
  event_id text collate "C" not null,
  response_id text collate "C" not null,
  question_code text collate "C" not null,
  type text not null check (type in ('rating', 'nps', 'choice', 'multiChoice', 'text')),
  -- Whether the question asks for personal data, at the time of the answer. Texts are always personal.
  is_personal boolean not null,
  rating integer check (rating between 1 and 10),
  nps integer check (nps between 0 and 10),
  choice text collate "C",
  choices text[] check (cardinality(choices) > 0),
  text text check (length(text) between 1 and 2000),
  -- The words and pairs of words of a text, without those of the stop list of its language.
  terms text[],
  primary key (tenant_id, event_id, response_id, question_code),
  constraint survey_answers_value check (num_nonnulls(rating, nps, choice, choices, text) = 1 and case type
    when 'rating' then rating is not null when 'nps' then nps is not null when 'choice' then choice is not null
    when 'multiChoice' then choices is not null else text is not null end),
  constraint survey_answers_terms check (terms is null or type = 'text'),
  constraint survey_answers_personal check (is_personal or type <> 'text'),
  foreign key (tenant_id, event_id, response_id) references survey_responses on delete cascade
);
