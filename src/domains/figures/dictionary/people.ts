import { PARTICIPANT_STATUSES, REGISTRATION_SOURCES } from '../../registration/tables.ts'
import {
  choiceField,
  codeField,
  countryField,
  dayField,
  defineQueryEntity,
  eventCurrencySql,
  buildEventEndDaySql,
  buildEventStartDaySql,
  buildEventLocalTodaySql,
  booleanField,
  idField,
  instantField,
  integerField,
  listField,
  localDaySql,
  buildLookupSql,
  defineToManyRelation,
  moneyField,
  defineToOneRelation,
  buildSameEventSql,
  textField,
} from './define.ts'
import type { QueryEntity, QueryEntityField } from './types.ts'

/** SQL for the number of days that an entry of a waiting list has waited or did wait. */
export const buildWaitDaysSql = (row: string): string =>
  `(${localDaySql(row, `coalesce(${row}.ended_at, (select lanyard_now()))`)} - ${localDaySql(row, `${row}.joined_at`)})`

const identity = { class: 'identity' } as const
const personal = { class: 'personal' } as const
const sensitive = { class: 'sensitive' } as const
const folded = { isFolded: true } as const

/** SQL for the time of a participant's first check-in: at the event, at a gate or in a conference session. */
const checkedIn = buildLookupSql('ap.checked_in_at', 'attendance_people ap', (row) => `ap.participant_id = ${row}.id`)

const attended = (row: string): string =>
  `exists ${buildLookupSql('', 'attendance_people ap', (of) => `ap.participant_id = ${of}.id and ap.checked_in_at is not null`)(row)}`

/**
 * SQL for whether the contact had a complete registration at an earlier event of the client. It calls a database function, because
 * row-level security hides other events.
 */
const cameBefore = (row: string): string => `${row}.id in (select cb.id from lanyard_came_before() as cb(id))`

const PERSON_FIELDS: Readonly<Record<string, QueryEntityField>> = {
  name: textField('Name', (row) => `nullif(concat_ws(' ', nullif(${row}.first_name, ''), nullif(${row}.last_name, '')), '')`, identity),
  firstName: textField('First name', 'first_name', { ...identity, synonyms: ['given name', 'forename'] }),
  lastName: textField('Last name', 'last_name', { ...identity, synonyms: ['surname', 'family name'] }),
  preferredName: textField('Preferred name', 'preferred_name', identity),
  suffix: textField('Suffix', 'suffix', identity),
  email: textField('Email', 'email', { ...identity, synonyms: ['mail', 'address'] }),
  company: textField('Company', 'company', { ...identity, synonyms: ['organization', 'employer', 'affiliation'] }),
  jobTitle: textField('Job title', 'job_title', { ...identity, synonyms: ['position', 'role', 'function'] }),
  department: textField('Department', 'department', identity),
  prefix: textField('Prefix', 'prefix', { ...personal, synonyms: ['title', 'salutation'] }),
  pronouns: textField('Pronouns', 'pronouns', sensitive),
  bio: textField('Biography', 'bio', personal),
  website: textField('Website', 'website', personal),
  linkedin: textField('LinkedIn', 'linkedin', personal),
  workPhone: textField('Work phone', 'work_phone', { ...personal, synonyms: ['telephone'] }),
  mobilePhone: textField('Mobile phone', 'mobile_phone', { ...personal, synonyms: ['cell phone', 'telephone'] }),
  address1: textField('Address', 'address1', { ...personal, synonyms: ['street'] }),
  address2: textField('Address, second line', 'address2', personal),
  city: textField('City', 'city', { ...personal, synonyms: ['town'] }),
  region: textField('State or region', 'region', { ...personal, synonyms: ['state', 'province'] }),
  postalCode: textField('Postal code', 'postal_code', { ...personal, synonyms: ['zip'] }),
  country: countryField('Country', 'country', personal),
  language: codeField('Language', 'language'),
  dietary: textField('Dietary needs', 'dietary', { ...sensitive, synonyms: ['diet', 'food', 'allergies'] }),
  accessibility: textField('Accessibility needs', 'accessibility', { ...sensitive, synonyms: ['disability'] }),
  emergencyName: textField('Emergency contact', 'emergency_name', sensitive),
  emergencyPhone: textField('Emergency phone', 'emergency_phone', sensitive),
}

const participant = defineQueryEntity({
  name: 'participant',
  label: 'Participants',
  rowIs: "one person's registration",
  area: 'registration',
  source: 'participants',
  fields: {
    confirmationNumber: textField('Confirmation number', 'confirmation_number', identity),
    badgeId: textField('Badge id', 'badge_id', identity),
    status: choiceField('Status', 'status', PARTICIPANT_STATUSES, { synonyms: ['state'] }),
    isGuest: booleanField('Guest', (row) => `(${row}.host_id is not null)`, { help: 'Registered as the guest of another participant' }),
    flowSlug: codeField('Flow', 'flow_slug', { ...folded, synonyms: ['form', 'registration type'] }),
    source: choiceField('Source', 'source', REGISTRATION_SOURCES, { help: 'How the registration was made', synonyms: ['channel'] }),
    tags: listField('Tags', 'tags', {
      ...folded,
      help: 'All tags: given by hand, by a directory or by products',
      synonyms: ['labels', 'segments'],
    }),
    manualTags: listField('Tags given by hand', 'manual_tags', folded),
    ...PERSON_FIELDS,
    completedAt: instantField('Completed', 'completed_at', {
      help: 'When the registration became complete',
      synonyms: ['registered', 'sign-up date'],
    }),
    cancelledAt: instantField('Cancelled', 'cancelled_at'),
    cancelReason: textField('Reason of the cancellation', 'cancel_reason'),
    versionNumber: integerField(
      'Version',
      buildLookupSql('cv.number', 'config_versions cv', (row) => `cv.id = ${row}.version_id`),
      { derived: true, help: 'The published version of the event in which the registration was made' },
    ),
    balance: moneyField(
      'Balance',
      (row) => `coalesce(${buildLookupSql('bo.balance', 'orders bo', (of) => `bo.participant_id = ${of}.id`)(row)}, 0)`,
      {
        derived: true,
        help: "What is still owed on the participant's own order",
        synonyms: ['owed', 'debt', 'open amount'],
      },
    ),
    attended: booleanField('Attended', attended, {
      derived: true,
      help: 'Has at least one accepted entry, at the event, a gate or a session',
      synonyms: ['present', 'showed up', 'checked in'],
    }),
    isNoShow: booleanField(
      'No-show',
      (row) => `(${row}.status = 'complete' and ${buildEventEndDaySql(row)} < ${buildEventLocalTodaySql(row)} and not ${attended(row)})`,
      {
        derived: true,
        help: 'Complete, without an entry, after the last day of the event',
      },
    ),
    checkedInAt: instantField('First entry', checkedIn, { derived: true, synonyms: ['arrival', 'check-in'] }),
    isFirstTime: booleanField('First time', (row) => `(not (${cameBefore(row)}))`, {
      derived: true,
      help: 'The contact was complete at no earlier event of this client',
      synonyms: ['newcomer', 'new attendee'],
    }),
    daysBefore: integerField(
      'Days before the start',
      (row) => `(${buildEventStartDaySql(row)} - ${localDaySql(row, `${row}.completed_at`)})`,
      { derived: true, help: 'Days from the completion to the first day of the event', synonyms: ['lead time'] },
    ),
    hasHousing: booleanField(
      'Has a room',
      (row) =>
        `exists ${buildLookupSql('', 'reservations hr', (of) => `hr.participant_id = ${of}.id and hr.status in ('confirmed', 'noShow')`)(row)}`,
      { derived: true, help: 'Has a confirmed hotel reservation of the event', synonyms: ['hotel', 'in block'] },
    ),
    audienceProfile: codeField(
      'Audience profile',
      buildLookupSql('am.profile_code', 'audience_members am', (row) => `am.participant_id = ${row}.id and am.profile_code is not null`),
      {
        derived: true,
        help: 'The code of the group of similar participants, as get_audience_profile shows it',
        synonyms: ['segment', 'persona'],
      },
    ),
    orderId: idField(
      'Order id',
      buildLookupSql('oo.id', 'orders oo', (row) => `oo.participant_id = ${row}.id`),
      { derived: true, help: "The participant's own order" },
    ),
    groupId: idField('Group id', 'group_id'),
    hostId: idField('Host id', 'host_id', { help: 'The participant whose guest this is' }),
    contactId: idField('Contact id', 'contact_id', { help: 'The person across the events of the client' }),
  },
  one: {
    group: defineToOneRelation('group', 'group_id'),
    host: defineToOneRelation('participant', 'host_id'),
    contact: defineToOneRelation('contact', 'contact_id'),
    substitutedBy: defineToOneRelation('participant', 'substituted_by_id'),
    staffOf: defineToOneRelation('company', 'company_id'),
  },
  relations: {
    order: { to: 'order', many: false, on: (from, to) => `${to}.participant_id = ${from}.id` },
    guests: defineToManyRelation('participant', 'host_id'),
    lines: defineToManyRelation('orderLine', 'participant_id'),
    waitlistEntries: defineToManyRelation('waitlistEntry', 'participant_id'),
    attendances: defineToManyRelation('attendance', 'participant_id'),
    enrolments: defineToManyRelation('enrolment', 'participant_id'),
    reservations: defineToManyRelation('reservation', 'participant_id'),
    leads: defineToManyRelation('lead', 'participant_id'),
    appointments: defineToManyRelation('appointment', 'participant_id'),
    messages: {
      to: 'message',
      many: true,
      on: (from, to) => `lanyard_fold_email(${to}.to_address) = ${from}.email_norm`,
    },
    visits: defineToManyRelation('flowVisit', 'participant_id'),
    agreements: defineToManyRelation('agreement', 'participant_id'),
    surveyInvites: defineToManyRelation('surveyInvite', 'participant_id'),
    surveyResponses: defineToManyRelation('surveyResponse', 'participant_id'),
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

/** SQL source with one row per contact who is registered at any of these events, with the id of the latest of those events. */
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
const ofHistory = (column: string) => (row: string) => `(lanyard_contact_history(${row}.id, ${eventCurrencySql(row)})).${column}`

const contact = defineQueryEntity({
  name: 'contact',
  label: 'Contacts',
  rowIs: 'one person across the events of a client',
  area: 'marketing',
  source: CONTACTS,
  noTestData: true,
  onlyAcrossEvents: true,
  sourceAcross: registeredContacts,
  fields: {
    name: textField('Name', (row) => `nullif(concat_ws(' ', nullif(${row}.first_name, ''), nullif(${row}.last_name, '')), '')`, identity),
    email: textField(
      'Email',
      (row) =>
        `(select em.address from contact_emails em where em.tenant_id = ${row}.tenant_id and em.contact_id = ${row}.id and em.is_primary)`,
      { ...identity, derived: true },
    ),
    company: textField('Company', 'company', identity),
    country: countryField('Country', 'country', personal),
    eventsCount: integerField('Events', ofHistory('events'), { derived: true, help: 'Events at which the contact was complete' }),
    attendedCount: integerField('Events attended', ofHistory('attended'), { derived: true }),
    firstEventOn: dayField('First event', ofHistory('first_on'), { derived: true }),
    lastEventOn: dayField('Last event', ofHistory('last_on'), { derived: true }),
    spend: moneyField('Spend', ofHistory('spend'), {
      derived: true,
      help: "Totals of the contact's own orders in the currency of the event",
    }),
    marketingConsent: choiceField('Marketing consent', 'marketing_consent', ['unknown', 'given', 'withdrawn']),
  },
  relations: { participants: { ...defineToManyRelation('participant', 'contact_id'), acrossEvents: true } },
})

const waitlistEntry = defineQueryEntity({
  name: 'waitlistEntry',
  label: 'Waiting list',
  rowIs: "one participant's place on the waiting list of a product, a flow or the event",
  area: 'registration',
  source: 'waitlist_entries',
  created: 'joined_at',
  updated: (row) => `coalesce(${row}.ended_at, ${row}.joined_at)`,
  fields: {
    target: codeField('Waits for', 'target', { help: 'event, flow:<slug> or product:<code>' }),
    position: integerField('Number in the queue', 'position'),
    rank: integerField(
      'Rank',
      (row) =>
        `case when ${row}.status = 'waiting' then ${buildLookupSql(
          'count(*)::int',
          'waitlist_entries wo',
          (of) =>
            `wo.target = ${of}.target and wo.status = 'waiting' and wo.is_test_data = ${of}.is_test_data and wo.position <= ${of}.position`,
        )(row)} end`,
      { derived: true, help: 'Place among those still waiting for the same target; 1 is next' },
    ),
    quantity: integerField('Quantity', 'quantity'),
    status: choiceField('Status', 'status', ['waiting', 'offered', 'promoted', 'removed']),
    reason: textField('Reason of the end', 'reason'),
    offeredUntil: instantField('Offered until', 'offered_until'),
    waitDays: integerField('Days waited', buildWaitDaysSql, { derived: true, help: 'Days in the time zone of the event' }),
  },
  one: {
    participant: defineToOneRelation('participant', 'participant_id'),
    product: defineToOneRelation('product', (row) => `case when ${row}.target like 'product:%' then substr(${row}.target, 9) end`),
  },
})

const inviteListEntry = defineQueryEntity({
  name: 'inviteListEntry',
  label: 'Invitation list',
  rowIs: 'one address that was invited to a flow',
  area: 'registration',
  source: 'invite_list_entries',
  noTestData: true,
  updated: null,
  fields: {
    flowSlug: codeField('Flow', 'flow_slug'),
    email: textField('Email', 'email', identity),
    status: choiceField('Status', 'status', ['invited', 'opened', 'registered', 'declined', 'removed']),
    tags: listField('Tags', 'tags'),
  },
  one: { participant: defineToOneRelation('participant', 'participant_id') },
})

const versionNumber = integerField(
  'Version',
  buildLookupSql('cv.number', 'config_versions cv', (row) => `cv.id = ${row}.version_id`),
  { derived: true, help: 'The published version of the event that the visitor saw' },
)

const flowVisit = defineQueryEntity({
  name: 'flowVisit',
  label: 'Visits of flows',
  rowIs: 'one visit of a registration flow',
  area: 'registration',
  source: 'flow_visits',
  created: 'started_at',
  updated: 'last_seen_at',
  fields: {
    flowSlug: codeField('Flow', 'flow_slug'),
    versionNumber,
    startedAt: instantField('Started', 'started_at'),
    completedAt: instantField('Completed', 'completed_at'),
    outcome: choiceField(
      'Outcome',
      (row) =>
        `coalesce(${row}.outcome, case when ${row}.last_seen_at > (select lanyard_now()) - interval '24 hours' then 'inProgress' else 'abandoned' end)`,
      ['completed', 'waitlisted', 'inProgress', 'abandoned'],
      { help: 'A visit without an end is in progress for 24 hours after its last page' },
    ),
    device: choiceField('Device', 'device', ['desktop', 'mobile', 'assistant', 'organizer']),
    utmSource: codeField('Source of the link', (row) => `${row}.utm ->> 'source'`, { synonyms: ['utm'] }),
    utmMedium: codeField('Medium of the link', (row) => `${row}.utm ->> 'medium'`),
    utmCampaign: codeField('Campaign of the link', (row) => `${row}.utm ->> 'campaign'`),
    seconds: integerField('Seconds', (row) => `round(extract(epoch from ${row}.completed_at - ${row}.started_at))::int`, {
      help: 'From the start to the completion',
    }),
  },
  one: { participant: defineToOneRelation('participant', 'participant_id') },
  relations: { pages: defineToManyRelation('flowVisitPage', 'visit_id') },
})

const flowVisitPage = defineQueryEntity({
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
    page: codeField('Page', (row) => `${row}.page ->> 'code'`),
    enteredAt: instantField('Entered', 'entered_at'),
    seconds: integerField('Seconds', (row) => `round(extract(epoch from ${row}.left_at - ${row}.entered_at))::int`),
    skipped: booleanField('Skipped', (row) => `(${row}.page ->> 'skipped')::boolean`, { help: 'Hidden by a condition' }),
    errors: integerField(
      'Errors',
      (row) => `(select coalesce(sum(er.value::int), 0)::int from jsonb_each_text(${row}.page -> 'validationErrors') er)`,
      { help: 'Answers that were rejected on this page' },
    ),
  },
  one: { visit: defineToOneRelation('flowVisit', 'visit_id') },
})

const agreement = defineQueryEntity({
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
    policyCode: codeField('Policy', 'policy_code'),
    versionNumber: integerField(
      'Version',
      (
        row,
      ) => `(select cv.number from participants vp join config_versions cv on cv.tenant_id = vp.tenant_id and cv.event_id = vp.event_id and cv.id = vp.version_id
        where ${buildSameEventSql('vp', row)} and vp.id = ${row}.participant_id)`,
      { derived: true, help: 'The published version of the event in which the participant registered' },
    ),
    agreedAt: instantField('Agreed', 'agreed_at'),
    mode: choiceField('How', 'mode', ['checkbox', 'initials', 'signature']),
  },
  one: { participant: defineToOneRelation('participant', 'participant_id') },
})

export const PEOPLE_ENTITIES: readonly QueryEntity[] = [
  participant,
  contact,
  waitlistEntry,
  inviteListEntry,
  flowVisit,
  flowVisitPage,
  agreement,
]
