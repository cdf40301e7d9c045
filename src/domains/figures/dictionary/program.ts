import {
  choiceField,
  codeField,
  decimalField,
  defineQueryEntity,
  booleanField,
  instantField,
  integerField,
  buildLookupSql,
  defineToManyRelation,
  defineToOneRelation,
  buildSameEventSql,
  textField,
} from './define.ts'
import { buildAttendanceMinutesSql, buildPeakAttendanceSql } from './presence.ts'
import type { QueryEntity } from './types.ts'

const identity = { class: 'identity' } as const

/** SQL condition that a person is a speaker of a conference session. */
const speaksIn = (session: string, speaker: string): string =>
  `exists (select from session_speakers sk where ${buildSameEventSql('sk', session)} and sk.session_id = ${session}.id and sk.speaker_id = ${speaker}.id)`

const session = defineQueryEntity({
  name: 'session',
  label: 'Sessions',
  rowIs: 'one session of the programme',
  area: 'sessions',
  source: 'sessions',
  noTestData: true,
  fields: {
    code: codeField('Code', 'code'),
    title: textField('Title', 'title'),
    trackCode: codeField('Track', 'track_code'),
    formatCode: codeField('Format', 'format_code'),
    roomCode: codeField('Room', 'room_code'),
    status: choiceField('Status', 'status', ['draft', 'scheduled', 'cancelled']),
    startsAt: instantField('Start', 'starts_at'),
    endsAt: instantField('End', 'ends_at'),
    capacity: integerField('Capacity', 'capacity'),
    enrolled: integerField(
      'Enrolled',
      (row) => `coalesce(${buildLookupSql('si.sold', 'inventory si', (of) => `si.key = 'session:' || ${of}.id`)(row)}, 0)`,
      {
        derived: true,
      },
    ),
    attended: integerField(
      'Attended',
      buildLookupSql(
        'count(*)::int',
        'attendance_presence sp',
        (row) => `sp.place = 'room:' || ${row}.id and sp.in_at is not null and not sp.is_test_data`,
      ),
      { derived: true, help: 'People with at least one accepted entry at the session' },
    ),
    minutes: integerField('Minutes attended', buildAttendanceMinutesSql, {
      derived: true,
      help: 'Whole minutes of all people within the times of the session; who did not leave stayed to its end',
    }),
    peak: integerField('Peak', buildPeakAttendanceSql, { derived: true, help: 'The most people in the session at the same time' }),
  },
  relations: {
    enrolments: defineToManyRelation('enrolment', 'session_id'),
    attendances: defineToManyRelation('attendance', 'session_id'),
    speakers: { to: 'speaker', many: true, on: speaksIn },
    surveyResponses: { to: 'surveyResponse', many: true, on: (from, to) => `${to}.session_id = ${from}.id and not ${to}.is_anonymous` },
  },
})

const enrolment = defineQueryEntity({
  name: 'enrolment',
  label: 'Enrolments',
  rowIs: "one participant's enrolment in a session",
  area: 'sessions',
  source: `(select se.tenant_id, se.event_id, se.session_id || ':' || se.participant_id as id, se.session_id, se.participant_id, se.is_test_data, se.status,
  se.created_at, se.updated_at from session_enrolments se)`,
  fields: { status: choiceField('Status', 'status', ['enrolled', 'waitlisted', 'cancelled']) },
  one: { session: defineToOneRelation('session', 'session_id'), participant: defineToOneRelation('participant', 'participant_id') },
})

const speaker = defineQueryEntity({
  name: 'speaker',
  label: 'Speakers',
  rowIs: 'one speaker',
  area: 'sessions',
  source: 'speakers',
  noTestData: true,
  fields: {
    name: textField('Name', (row) => `concat_ws(' ', ${row}.first_name, ${row}.last_name)`, identity),
    email: textField('Email', 'email', identity),
    company: textField('Company', 'company', identity),
    status: choiceField('Status', 'status', ['prospect', 'invited', 'confirmed', 'declined', 'withdrawn']),
  },
  one: { participant: defineToOneRelation('participant', 'participant_id') },
  relations: { sessions: { to: 'session', many: true, on: (speaker, session) => speaksIn(session, speaker) } },
})

/** SQL for the score of a review in percent: the reviewer's points for the criteria of the live configuration, weighted. */
const reviewScore = (
  review: string,
): string => `(select 100 * sum(rc.weight * (${review}.scores ->> rc.code)::float8 / rc.max) / sum(rc.weight)
  from (select ci.item ->> 'code' as code, (ci.item ->> 'weight')::float8 as weight, coalesce((ci.item ->> 'max')::float8, 5) as max
    from events re join config_versions rv on rv.tenant_id = re.tenant_id and rv.event_id = re.id and rv.number = re.published_version
    cross join lateral jsonb_array_elements(coalesce(rv.document #> '{sessions,reviewRubric}', '[]')) as ci(item)
    where re.tenant_id = ${review}.tenant_id and re.id = ${review}.event_id) rc where ${review}.scores ? rc.code)`

const submission = defineQueryEntity({
  name: 'submission',
  label: 'Submissions',
  rowIs: 'one proposal for a session',
  area: 'sessions',
  source: 'submissions',
  noTestData: true,
  fields: {
    number: codeField('Number', 'number'),
    title: textField('Title', 'title'),
    status: choiceField('Status', 'status', [
      'draft',
      'submitted',
      'under_review',
      'accepted',
      'backup',
      'rejected',
      'confirmed',
      'cancelled',
      'withdrawn',
      'merged',
    ]),
    pending: choiceField('Decision not sent yet', 'pending', ['accepted', 'backup', 'rejected']),
    trackCode: codeField('Track', (row) => `coalesce(${row}.decided_track_code, ${row}.track_code)`),
    formatCode: codeField('Format', (row) => `coalesce(${row}.decided_format_code, ${row}.format_code)`),
    score: decimalField(
      'Score',
      buildLookupSql(
        `round(avg(${reviewScore('sr')})::numeric, 4)`,
        'submission_reviews sr',
        (row) => `sr.submission_id = ${row}.id and not sr.recused`,
      ),
      { derived: true, help: 'The average of the reviews, 0 to 100' },
    ),
    reviews: integerField(
      'Reviews',
      buildLookupSql('count(*)::int', 'submission_reviews sr', (row) => `sr.submission_id = ${row}.id and not sr.recused`),
      { derived: true },
    ),
  },
  relations: { reviews: defineToManyRelation('review', 'submission_id') },
})

const review = defineQueryEntity({
  name: 'review',
  label: 'Reviews',
  rowIs: 'one review of a submission',
  area: 'sessions',
  source: `(select rw.tenant_id, rw.event_id, rw.submission_id || ':' || rw.reviewer_id as id, rw.submission_id, rw.scores, rw.recommendation, rw.recused,
  rw.reviewed_at from submission_reviews rw)`,
  noTestData: true,
  created: 'reviewed_at',
  updated: 'reviewed_at',
  fields: {
    score: decimalField('Score', (row) => `round(${reviewScore(row)}::numeric, 4)`, { derived: true, help: '0 to 100' }),
    recommendation: choiceField('Recommendation', 'recommendation', ['accept', 'maybe', 'reject']),
    recused: booleanField('Recused', 'recused'),
    at: instantField('When', 'reviewed_at'),
  },
  one: { submission: defineToOneRelation('submission', 'submission_id') },
})

export const PROGRAM_ENTITIES: readonly QueryEntity[] = [session, enrolment, speaker, submission, review]
