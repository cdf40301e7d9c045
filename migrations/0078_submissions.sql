-- Call for papers: submissions with their speakers, the reviewers assigned to them and their reviews.

create table submissions (
  tenant_id integer not null,
  event_id text collate "C" not null,
  id text collate "C" not null check (id ~ '^[0-9a-f]{24}$'),
  number text collate "C" not null,
  title text not null check (length(title) between 1 and 200),
  abstract text check (length(abstract) <= 5000),
  keywords text[] not null default '{}',
  -- The submitter's choice. The committee's choice is in the `decided_` columns.
  track_code text collate "C" not null,
  format_code text collate "C" not null,
  decided_track_code text collate "C",
  decided_format_code text collate "C",
  answers jsonb not null default '{}',
  -- The language of the submitter's page and emails.
  language text,
  status text not null default 'draft' check (status in
    ('draft', 'submitted', 'under_review', 'accepted', 'backup', 'rejected', 'confirmed', 'cancelled', 'withdrawn', 'merged')),
  -- A decision that the submitter has not been informed of.
  pending text check (pending in ('accepted', 'backup', 'rejected')),
  decision_note text,
  submitted_at timestamptz,
  decided_by text collate "C",
  informed_at timestamptz,
  -- The acceptance lapses at this time if the speaker has not confirmed.
  confirm_by timestamptz,
  merged_into text collate "C",
  revision integer not null default 1,
  created_at timestamptz not null default lanyard_now(),
  updated_at timestamptz not null default lanyard_now(),
  searched text not null generated always as (lanyard_searched(title, number)) stored,
  primary key (tenant_id, event_id, id),
  unique (tenant_id, event_id, number),
  foreign key (tenant_id, event_id) references events,
  foreign key (tenant_id, event_id, merged_into) references submissions,
  constraint submissions_pending check (pending is null or status in ('submitted', 'under_review', 'backup')),
  constraint submissions_merged check ((status = 'merged') = (merged_into is not null))
);
create index submissions_in_order on submissions (tenant_id, event_id, submitted_at, id);
create index submissions_searched on submissions using gin (searched gin_trgm_ops);
create index submissions_lapsing on submissions (confirm_by) where status = 'accepted' and confirm_by is not null;
create index submissions_merged_into on submissions (tenant_id, event_id, merged_into) where merged_into is not null;
create trigger submissions_touch before update on submissions for each row execute function lanyard_touch('searched');

create table submission_speakers (
  tenant_id integer not null,
  event_id text collate "C" not null,
  submission_id text collate "C" not null,
  speaker_id text collate "C" not null,
  role text not null default 'speaker' check (role in ('speaker', 'moderator', 'panelist', 'presenter', 'author')),
  position integer not null check (position > 0),
  primary key (tenant_id, event_id, submission_id, speaker_id),
  foreign key (tenant_id, event_id, submission_id) references submissions,
  foreign key (tenant_id, event_id, speaker_id) references speakers
);
create index submission_speakers_of_speaker on submission_speakers (tenant_id, event_id, speaker_id);

-- Reviewers are users of the client or of the event. Their rows may be deleted, reviews stay.
create table submission_reviewers (
  tenant_id integer not null,
  event_id text collate "C" not null,
  submission_id text collate "C" not null,
  reviewer_id text collate "C" not null,
  assigned_at timestamptz not null default lanyard_now(),
  primary key (tenant_id, event_id, submission_id, reviewer_id),
  foreign key (tenant_id, event_id, submission_id) references submissions
);
create index submission_reviewers_of_reviewer on submission_reviewers (tenant_id, event_id, reviewer_id);

-- The tracks that a reviewer was assigned to.
create table reviewer_tracks (
  tenant_id integer not null,
  event_id text collate "C" not null,
  reviewer_id text collate "C" not null,
  track_code text collate "C" not null,
  primary key (tenant_id, event_id, reviewer_id, track_code),
  foreign key (tenant_id, event_id) references events
);

create table submission_reviews (
  tenant_id integer not null,
  event_id text collate "C" not null,
  submission_id text collate "C" not null,
  reviewer_id text collate "C" not null,
  reviewer_name text not null,
  -- Points by criterion of the rubric; empty for a recused reviewer.
  scores jsonb not null default '{}' check (jsonb_typeof(scores) = 'object'),
  recommendation text check (recommendation in ('accept', 'maybe', 'reject')),
  note_to_committee text,
  note_to_author text,
  recused boolean not null default false,
  reviewed_at timestamptz not null default lanyard_now(),
  -- X10.
  primary key (tenant_id, event_id, submission_id, reviewer_id),
  foreign key (tenant_id, event_id, submission_id) references submissions
);
create index submission_reviews_of_reviewer on submission_reviews (tenant_id, event_id, reviewer_id);

alter table sessions add constraint sessions_submission foreign key (tenant_id, event_id, submission_id) references submissions;
-- A submission has one session.
create unique index sessions_of_submission on sessions (tenant_id, event_id, submission_id) where submission_id is not null;

-- The last invitation, so that a speaker is not invited twice within a day by mistake.
alter table speakers add column invited_at timestamptz;
create index speakers_headshots on speakers (tenant_id, event_id, headshot_file_id) where headshot_file_id is not null;
