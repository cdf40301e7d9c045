import { PARTICIPANT_STATUSES, REGISTRATION_SOURCES } from '../../registration/tables.ts'
import {
  choice,
  code,
  country,
  day,
  defineEntity,
  eventCurrency,
  eventEnd,
  eventStart,
  eventToday,
  flag,
  id,
  instant,
  integer,
  list,
  localDay,
  lookup,
  toMany,
  money,
  toOne,
  sameEventCondition,
  text,
} from './define.ts'
import type { Entity, EntityField } from './types.ts'

const identity = { class: 'identity' } as const
const personal = { class: 'personal' } as const
const sensitive = { class: 'sensitive' } as const
const folded = { isFolded: true } as const

/** SQL for the time of a participant's first check-in: at the event, at a gate or in a conference session. */
const checkedIn = lookup('ap.checked_in_at', 'attendance_people ap', (row) => `ap.participant_id = ${row}.id`)

const attended = (row: string): string =>
  `exists ${lookup('', 'attendance_people ap', (of) => `ap.participant_id = ${of}.id and ap.checked_in_at is not null`)(row)}`

/**
 * SQL for whether the contact was complete at an earlier event of the client. It calls a database function, because row-level security
 * hides other events.
 */
const cameBefore = (row: string): string => `${row}.id in (select cb.id from lanyard_came_before() as cb(id))`

const PERSON_FIELDS: Readonly<Record<string, EntityField>> = {
  name: text('Name', (row) => `nullif(concat_ws(' ', nullif(${row}.first_name, ''), nullif(${row}.last_name, '')), '')`, identity),
  firstName: text('First name', 'first_name', { ...identity, synonyms: ['given name', 'forename'] }),
  lastName: text('Last name', 'last_name', { ...identity, synonyms: ['surname', 'family name'] }),
  preferredName: text('Preferred name', 'preferred_name', identity),
  suffix: text('Suffix', 'suffix', identity),
  email: text('Email', 'email', { ...identity, synonyms: ['mail', 'address'] }),
  company: text('Company', 'company', { ...identity, synonyms: ['organization', 'employer', 'affiliation'] }),
  jobTitle: text('Job title', 'job_title', { ...identity, synonyms: ['position', 'role', 'function'] }),
  department: text('Department', 'department', identity),
  prefix: text('Prefix', 'prefix', { ...personal, synonyms: ['title', 'salutation'] }),
  pronouns: text('Pronouns', 'pronouns', sensitive),
  bio: text('Biography', 'bio', personal),
  website: text('Website', 'website', personal),
  linkedin: text('LinkedIn', 'linkedin', personal),
  workPhone: text('Work phone', 'work_phone', { ...personal, synonyms: ['telephone'] }),
  mobilePhone: text('Mobile phone', 'mobile_phone', { ...personal, synonyms: ['cell phone', 'telephone'] }),
  address1: text('Address', 'address1', { ...personal, synonyms: ['street'] }),
  address2: text('Address, second line', 'address2', personal),
  city: text('City', 'city', { ...personal, synonyms: ['town'] }),
  region: text('State or region', 'region', { ...personal, synonyms: ['state', 'province'] }),
  postalCode: text('Postal code', 'postal_code', { ...personal, synonyms: ['zip'] }),
  country: country('Country', 'country', personal),
  language: code('Language', 'language'),
  dietary: text('Dietary needs', 'dietary', { ...sensitive, synonyms: ['diet', 'food', 'allergies'] }),
  accessibility: text('Accessibility needs', 'accessibility', { ...sensitive, synonyms: ['disability'] }),
  emergencyName: text('Emergency contact', 'emergency_name', sensitive),
  emergencyPhone: text('Emergency phone', 'emergency_phone', sensitive),
}

const participant = defineEntity({
  name: 'participant',
  label: 'Participants',
  rowIs: "one person's registration",
  area: 'registration',
  source: 'participants',
  fields: {
    confirmationNumber: text('Confirmation number', 'confirmation_number', identity),
    badgeId: text('Badge id', 'badge_id', identity),
    status: choice('Status', 'status', PARTICIPANT_STATUSES, { synonyms: ['state'] }),
    isGuest: flag('Guest', (row) => `(${row}.host_id is not null)`, { help: 'Registered as the guest of another participant' }),
    flowSlug: code('Flow', 'flow_slug', { ...folded, synonyms: ['form', 'registration type'] }),
    source: choice('Source', 'source', REGISTRATION_SOURCES, { help: 'How the registration was made', synonyms: ['channel'] }),
    tags: list('Tags', 'tags', {
      ...folded,
      help: 'All tags: given by hand, by a directory or by products',
      synonyms: ['labels', 'segments'],
    }),
    manualTags: list('Tags given by hand', 'manual_tags', folded),
    ...PERSON_FIELDS,
    completedAt: instant('Completed', 'completed_at', {
      help: 'When the registration became complete',
      synonyms: ['registered', 'sign-up date'],
    }),
    cancelledAt: instant('Cancelled', 'cancelled_at'),
    cancelReason: text('Reason of the cancellation', 'cancel_reason'),
    versionNumber: integer(
      'Version',
      lookup('cv.number', 'config_versions cv', (row) => `cv.id = ${row}.version_id`),
      { derived: true, help: 'The published version of the event in which the registration was made' },
    ),
    balance: money('Balance', (row) => `coalesce(${lookup('bo.balance', 'orders bo', (of) => `bo.participant_id = ${of}.id`)(row)}, 0)`, {
      derived: true,
      help: "What is still owed on the participant's own order",
      synonyms: ['owed', 'debt', 'open amount'],
    }),
    attended: flag('Attended', attended, {
      derived: true,
      help: 'Has at least one accepted entry, at the event, a gate or a session',
      synonyms: ['present', 'showed up', 'checked in'],
    }),
    isNoShow: flag('No-show', (row) => `(${row}.status = 'complete' and ${eventEnd(row)} < ${eventToday(row)} and not ${attended(row)})`, {
      derived: true,
      help: 'Complete, without an entry, after the last day of the event',
    }),
    checkedInAt: instant('First entry', checkedIn, { derived: true, synonyms: ['arrival', 'check-in'] }),
    isFirstTime: flag('First time', (row) => `(not (${cameBefore(row)}))`, {
      derived: true,
      help: 'The contact was complete at no earlier event of this client',
      synonyms: ['newcomer', 'new attendee'],
    }),
    daysBefore: integer('Days before the start', (row) => `(${eventStart(row)} - ${localDay(row, `${row}.completed_at`)})`, {
      derived: true,
      help: 'Days from the completion to the first day of the event',
      synonyms: ['lead time'],
    }),
    hasHousing: flag(
      'Has a room',
      (row) =>
        `exists ${lookup('', 'reservations hr', (of) => `hr.participant_id = ${of}.id and hr.status in ('confirmed', 'noShow')`)(row)}`,
      { derived: true, help: 'Has a confirmed hotel reservation of the event', synonyms: ['hotel', 'in block'] },
    ),
    audienceProfile: code(
      'Audience profile',
      lookup('am.profile_code', 'audience_members am', (row) => `am.participant_id = ${row}.id and am.profile_code is not null`),
      {
        derived: true,
        help: 'The code of the group of similar participants, as get_audience_profile shows it',
        synonyms: ['segment', 'persona'],
      },
    ),
    orderId: id(
      'Order id',
      lookup('oo.id', 'orders oo', (row) => `oo.participant_id = ${row}.id`),
      { derived: true, help: "The participant's own order" },
    ),
    groupId: id('Group id', 'group_id'),
    hostId: id('Host id', 'host_id', { help: 'The participant whose guest this is' }),
    contactId: id('Contact id', 'contact_id', { help: 'The person across the events of the client' }),
  },
  one: {
    group: toOne('group', 'group_id'),
    host: toOne('participant', 'host_id'),
    contact: toOne('contact', 'contact_id'),
    substitutedBy: toOne('participant', 'substituted_by_id'),
    staffOf: toOne('company', 'company_id'),
  },
  relations: {
    order: { to: 'order', many: false, on: (from, to) => `${to}.participant_id = ${from}.id` },
    guests: toMany('participant', 'host_id'),
    lines: toMany('orderLine', 'participant_id'),
    waitlistEntries: toMany('waitlistEntry', 'participant_id'),
    attendances: toMany('attendance', 'participant_id'),
    enrolments: toMany('enrolment', 'participant_id'),
    reservations: toMany('reservation', 'participant_id'),
    leads: toMany('lead', 'participant_id'),
    appointments: toMany('appointment', 'participant_id'),
    messages: {
      to: 'message',
      many: true,
      on: (from, to) => `lanyard_fold_email(${to}.to_address) = ${from}.email_norm`,
    },
    visits: toMany('flowVisit', 'participant_id'),
    agreements: toMany('agreement', 'participant_id'),
    surveyInvites: toMany('surveyInvite', 'participant_id'),
    surveyResponses: toMany('surveyResponse', 'participant_id'),
  },
})

const CONTACT_COLUMNS =
  'c.id, c.client_id, c.first_name, c.last_name, c.company, c.country, c.marketing_consent, c.created_at, c.updated_at'

/**
 * SQL source with one row for each combination of a contact and an event of the contact's client, so that participants can join it by
 * event.
 */
const CONTACTS = `(select c.tenant_id, ce.id as event_id, ${CONTACT_COLUMNS}
  from contacts c join events ce on ce.tenant_id = c.tenant_id and ce.client_id = c.client_id where c.merged_into is null)`

/** SQL source with one row per contact who is registered at any of these events. The row belongs to the latest of these. */
const registeredContacts = ({ tenant, events }: { tenant: string; events: string }) =>
  `(select distinct on (c.id) c.tenant_id, cp.event_id, ${CONTACT_COLUMNS}
  from participants cp join contacts c on c.tenant_id = cp.tenant_id and c.id = cp.contact_id
  join events ce on ce.tenant_id = cp.tenant_id and ce.id = cp.event_id
  where cp.tenant_id = ${tenant} and cp.event_id = any(${events}) and c.merged_into is null
  order by c.id, ce.starts_on desc, ce.id desc)`

/**
 * SQL for a figure over all registrations of a contact, without test data. It calls a database function, because row-level security hides
 * the other events of the client.
 */
const ofHistory = (column: string) => (row: string) => `(lanyard_contact_history(${row}.id, ${eventCurrency(row)})).${column}`

const contact = defineEntity({
  name: 'contact',
  label: 'Contacts',
  rowIs: 'one person across the events of a client',
  area: 'marketing',
  source: CONTACTS,
  noTestData: true,
  onlyAcrossEvents: true,
  sourceAcross: registeredContacts,
  fields: {
    name: text('Name', (row) => `nullif(concat_ws(' ', nullif(${row}.first_name, ''), nullif(${row}.last_name, '')), '')`, identity),
    email: text(
      'Email',
      (row) =>
        `(select em.address from contact_emails em where em.tenant_id = ${row}.tenant_id and em.contact_id = ${row}.id and em.is_primary)`,
      { ...identity, derived: true },
    ),
    company: text('Company', 'company', identity),
    country: country('Country', 'country', personal),
    eventsCount: integer('Events', ofHistory('events'), { derived: true, help: 'Events at which the contact was complete' }),
    attendedCount: integer('Events attended', ofHistory('attended'), { derived: true }),
    firstEventOn: day('First event', ofHistory('first_on'), { derived: true }),
    lastEventOn: day('Last event', ofHistory('last_on'), { derived: true }),
    spend: money('Spend', ofHistory('spend'), {
      derived: true,
      help: "Totals of the contact's own orders in the currency of the event",
    }),
    marketingConsent: choice('Marketing consent', 'marketing_consent', ['unknown', 'given', 'withdrawn']),
  },
  relations: { participants: { ...toMany('participant', 'contact_id'), acrossEvents: true } },
})

const waitlistEntry = defineEntity({
  name: 'waitlistEntry',
  label: 'Waiting list',
  rowIs: "one participant's place on the waiting list of a product, a flow or the event",
  area: 'registration',
  source: 'waitlist_entries',
  created: 'joined_at',
  updated: (row) => `coalesce(${row}.ended_at, ${row}.joined_at)`,
  fields: {
    target: code('Waits for', 'target', { help: 'event, flow:<slug> or product:<code>' }),
    position: integer('Number in the queue', 'position'),
    rank: integer(
      'Rank',
      (row) =>
        `case when ${row}.status = 'waiting' then ${lookup(
          'count(*)::int',
          'waitlist_entries wo',
          (of) =>
            `wo.target = ${of}.target and wo.status = 'waiting' and wo.is_test_data = ${of}.is_test_data and wo.position <= ${of}.position`,
        )(row)} end`,
      { derived: true, help: 'Place among those still waiting for the same target; 1 is next' },
    ),
    quantity: integer('Quantity', 'quantity'),
    status: choice('Status', 'status', ['waiting', 'offered', 'promoted', 'removed']),
    reason: text('Reason of the end', 'reason'),
    offeredUntil: instant('Offered until', 'offered_until'),
    waitDays: integer(
      'Days waited',
      (row) => `floor(extract(epoch from coalesce(${row}.ended_at, (select lanyard_now())) - ${row}.joined_at) / 86400)::int`,
      { derived: true },
    ),
  },
  one: {
    participant: toOne('participant', 'participant_id'),
    product: toOne('product', (row) => `case when ${row}.target like 'product:%' then substr(${row}.target, 9) end`),
  },
})

const inviteListEntry = defineEntity({
  name: 'inviteListEntry',
  label: 'Invitation list',
  rowIs: 'one address that was invited to a flow',
  area: 'registration',
  source: 'invite_list_entries',
  noTestData: true,
  updated: null,
  fields: {
    flowSlug: code('Flow', 'flow_slug'),
    email: text('Email', 'email', identity),
    status: choice('Status', 'status', ['invited', 'opened', 'registered', 'declined', 'removed']),
    tags: list('Tags', 'tags'),
  },
  one: { participant: toOne('participant', 'participant_id') },
})

const versionNumber = integer(
  'Version',
  lookup('cv.number', 'config_versions cv', (row) => `cv.id = ${row}.version_id`),
  { derived: true, help: 'The published version of the event that the visitor saw' },
)

const flowVisit = defineEntity({
  name: 'flowVisit',
  label: 'Visits of flows',
  rowIs: 'one visit of a registration flow',
  area: 'registration',
  source: 'flow_visits',
  created: 'started_at',
  updated: 'last_seen_at',
  fields: {
    flowSlug: code('Flow', 'flow_slug'),
    versionNumber,
    startedAt: instant('Started', 'started_at'),
    completedAt: instant('Completed', 'completed_at'),
    outcome: choice(
      'Outcome',
      (row) =>
        `coalesce(${row}.outcome, case when ${row}.last_seen_at > (select lanyard_now()) - interval '24 hours' then 'inProgress' else 'abandoned' end)`,
      ['completed', 'waitlisted', 'inProgress', 'abandoned'],
      { help: 'A visit without an end is in progress for 24 hours after its last page' },
    ),
    device: choice('Device', 'device', ['desktop', 'mobile', 'assistant', 'organizer']),
    utmSource: code('Source of the link', (row) => `${row}.utm ->> 'source'`, { synonyms: ['utm'] }),
    utmMedium: code('Medium of the link', (row) => `${row}.utm ->> 'medium'`),
    utmCampaign: code('Campaign of the link', (row) => `${row}.utm ->> 'campaign'`),
    seconds: integer('Seconds', (row) => `round(extract(epoch from ${row}.completed_at - ${row}.started_at))::int`, {
      help: 'From the start to the completion',
    }),
  },
  one: { participant: toOne('participant', 'participant_id') },
  relations: { pages: toMany('flowVisitPage', 'visit_id') },
})

const flowVisitPage = defineEntity({
  name: 'flowVisitPage',
  label: 'Pages of visits',
  rowIs: 'one page of a visit',
  area: 'registration',
  source: `(select fv.tenant_id, fv.event_id, fv.id || ':' || fp.n as id, fv.id as visit_id, fv.is_test_data, fp.page,
  (fp.page ->> 'enteredAt')::timestamptz as entered_at, (fp.page ->> 'leftAt')::timestamptz as left_at
  from flow_visits fv cross join lateral jsonb_array_elements(fv.pages) with ordinality as fp(page, n))`,
  created: 'entered_at',
  updated: (row) => `coalesce(${row}.left_at, ${row}.entered_at)`,
  fields: {
    page: code('Page', (row) => `${row}.page ->> 'code'`),
    enteredAt: instant('Entered', 'entered_at'),
    seconds: integer('Seconds', (row) => `round(extract(epoch from ${row}.left_at - ${row}.entered_at))::int`),
    skipped: flag('Skipped', (row) => `(${row}.page ->> 'skipped')::boolean`, { help: 'Hidden by a condition' }),
    errors: integer(
      'Errors',
      (row) => `(select coalesce(sum(er.value::int), 0)::int from jsonb_each_text(${row}.page -> 'validationErrors') er)`,
      { help: 'Answers that were rejected on this page' },
    ),
  },
  one: { visit: toOne('flowVisit', 'visit_id') },
})

const agreement = defineEntity({
  name: 'agreement',
  label: 'Agreements',
  rowIs: 'one policy that a participant accepted',
  area: 'registration',
  source: `(select rp.tenant_id, rp.event_id, rp.participant_id || ':' || ag.key as id, rp.is_test_data, rp.participant_id,
  ag.key as policy_code, (ag.value ->> 'at')::timestamptz as agreed_at, ag.value ->> 'mode' as mode
  from registration_progress rp cross join lateral jsonb_each(rp.policies) ag)`,
  created: 'agreed_at',
  updated: 'agreed_at',
  fields: {
    policyCode: code('Policy', 'policy_code'),
    versionNumber: integer(
      'Version',
      (
        row,
      ) => `(select cv.number from participants vp join config_versions cv on cv.tenant_id = vp.tenant_id and cv.event_id = vp.event_id and cv.id = vp.version_id
        where ${sameEventCondition('vp', row)} and vp.id = ${row}.participant_id)`,
      { derived: true, help: 'The published version of the event in which the participant registered' },
    ),
    agreedAt: instant('Agreed', 'agreed_at'),
    mode: choice('How', 'mode', ['checkbox', 'initials', 'signature']),
  },
  one: { participant: toOne('participant', 'participant_id') },
})

export const PEOPLE_ENTITIES: readonly Entity[] = [
  participant,
  contact,
  waitlistEntry,
  inviteListEntry,
  flowVisit,
  flowVisitPage,
  agreement,
]
