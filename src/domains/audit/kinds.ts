/** A kind of record in the audit log: its noun, such as "a participant", and the table that contains the names of its records. */
interface RecordKind {
  noun: string
  /** Text to put before names that do not show the kind of record, such as "the group ". */
  before?: string
  /** The table from which the current name of a record is read, by the id in the log entry; omitted if there is none. */
  named?: TableWithRecordNames
  /** Further words by which callers can filter for these records, besides their name and noun. */
  also?: string
}

/** The tables from which the audit log reads names of records: tables of the tenant and tables of the event. */
export type TableWithRecordNames = keyof typeof TENANT_RECORD_NAME_SQL | keyof typeof EVENT_RECORD_NAME_SQL

/** SQL for the name of a record in row `r` of each table, so that one statement reads the names for a whole page of the log. */
export const TENANT_RECORD_NAME_SQL = {
  events: 'r.name',
  clients: 'r.name',
  users: 'r.name',
  api_accounts: 'r.name',
  // The query string of the endpoint's URL is left out, because it often contains an API key.
  webhook_endpoints: `regexp_replace(r.url, '\\?.*$', '?…')`,
  contacts: `nullif(concat_ws(' ', r.first_name, r.last_name), '')`,
  memories: 'r.title',
  files: 'r.name',
  suppliers: 'r.name',
} as const

export const EVENT_RECORD_NAME_SQL = {
  participants: `coalesce(nullif(concat_ws(' ', r.first_name, r.last_name), ''), r.email)`,
  managed_groups: 'r.name',
  group_invites: 'r.email',
  orders: 'r.number',
  invoices: 'r.number',
  payments: 'r.receipt_number',
  refunds: 'r.receipt_number',
  event_hotels: 'r.name',
  supplier_contracts: 'r.number',
  room_blocks: 'r.name',
  reports: 'r.name',
  report_runs: 'r.name',
  rfps: 'r.number',
  // The recipient of an RFP is shown with the number of the RFP, because the log entry already names the supplier.
  rfp_recipients: '(select f.number from rfps f where f.tenant_id = r.tenant_id and f.event_id = r.event_id and f.id = r.rfp_id)',
  companies: 'r.name',
  exhibitor_staff: 'r.name',
  floor_plans: 'r.name',
  booths: 'r.number',
  booth_applications: 'r.number',
  sessions: 'r.title',
  speakers: `concat_ws(' ', r.first_name, r.last_name)`,
  submissions: `r.number || ' ' || r.title`,
  directory_connections: 'r.name',
  briefs: 'r.title',
} as const

const RECORD_KINDS: Readonly<Record<string, RecordKind>> = {
  participant: { noun: 'a participant', named: 'participants', also: 'registration registrant attendee delegate guest people' },
  contact: { noun: 'a contact', before: 'the contact', named: 'contacts' },
  event: { noun: 'an event', named: 'events' },
  configuration: { noun: 'a draft', named: 'events', also: 'settings setup product price flow form question field tag email discount tax' },
  client: { noun: 'a client', named: 'clients' },
  user: { noun: 'a person', named: 'users' },
  member: { noun: 'a member', named: 'users' },
  invitation: { noun: 'a person', named: 'users' },
  eventStaff: { noun: 'a person', named: 'users', also: 'colleague' },
  apiAccount: { noun: 'an API account', before: 'the API account', named: 'api_accounts' },
  apiToken: { noun: 'an API account', before: 'the API account', named: 'api_accounts' },
  webhook: { noun: 'a webhook', before: 'the webhook', named: 'webhook_endpoints' },
  grant: { noun: 'an app' },
  connectedApp: { noun: 'an app' },
  group: { noun: 'a group', before: 'the group', named: 'managed_groups' },
  groupInvite: { noun: 'a person', named: 'group_invites' },
  order: { noun: 'an order', before: 'order', named: 'orders' },
  invoice: { noun: 'an invoice', before: 'invoice', named: 'invoices', also: 'bill credit note' },
  payment: { noun: 'a payment', before: 'payment', named: 'payments', also: 'receipt' },
  refund: { noun: 'a refund', before: 'refund', named: 'refunds' },
  charge: { noun: 'a card payment' },
  savedCard: { noun: 'a card' },
  cardSetup: { noun: 'a card' },
  hotel: { noun: 'a hotel', before: 'the hotel', named: 'event_hotels' },
  housingContract: { noun: 'a room contract', before: 'the room contract of', named: 'event_hotels', also: 'addendum attrition cut-off' },
  block: { noun: 'a block of rooms', before: 'the block of rooms', named: 'room_blocks' },
  contract: {
    noun: 'a contract with a supplier',
    before: 'the contract',
    named: 'supplier_contracts',
    also: 'agreement clause redline counter',
  },
  envelope: { noun: 'an envelope', also: 'signature signer' },
  milestone: { noun: 'a milestone', also: 'deadline' },
  blockRequest: { noun: 'a room block request' },
  rfpQuestion: { noun: 'a question about an RFP' },
  rfpResponse: { noun: 'a response to an RFP' },
  blockAmendment: { noun: 'a change of a room block request' },
  reservation: { noun: 'a room' },
  award: { noun: 'an award', also: 'winner bid' },
  rfp: { noun: 'an RFP', before: 'RFP', named: 'rfps', also: 'request for proposals' },
  rfpRecipient: { noun: 'a request for proposal', named: 'rfp_recipients' },
  reportRun: { noun: 'a run of a report', before: 'the run of', named: 'report_runs', also: 'export download file' },
  report: { noun: 'a report', before: 'the report', named: 'reports', also: 'dashboard widget' },
  reportDelivery: { noun: 'a report', before: 'the report', named: 'reports' },
  roomShare: { noun: 'a shared room' },
  survey: { noun: 'a survey', also: 'questionnaire feedback' },
  surveyInvite: { noun: 'a survey invitation' },
  surveyResponse: { noun: 'a survey response' },
  brief: { noun: 'a sourcing brief', before: 'the sourcing brief', named: 'briefs', also: 'requirements need' },
  supplier: { noun: 'a supplier', before: 'the supplier', named: 'suppliers', also: 'venue hotel vendor' },
  company: { noun: 'an exhibitor', before: 'the exhibitor', named: 'companies' },
  // Log entries have two kinds for booth applications: `boothApplication` for those submitted through registration forms.
  boothApplication: { noun: 'a booth application', before: 'booth application', named: 'booth_applications' },
  application: { noun: 'a booth application', before: 'booth application', named: 'booth_applications' },
  assignmentProposal: { noun: 'a booth assignment proposal' },
  pointsEntry: { noun: 'priority points' },
  booth: { noun: 'a booth', before: 'booth', named: 'booths' },
  floorPlan: { noun: 'a floor plan', before: 'the floor plan', named: 'floor_plans' },
  floorPlanLayout: { noun: 'a booth layout' },
  audienceBuild: { noun: 'a build of audience profiles' },
  floorPlanScan: { noun: 'a floor plan scan' },
  licence: { noun: 'a lead retrieval licence' },
  lead: { noun: 'a lead' },
  exhibitorStaff: { noun: 'a booth staff member', named: 'exhibitor_staff' },
  leadDevice: { noun: 'a lead device' },
  appointment: { noun: 'an appointment with an exhibitor' },
  session: { noun: 'a session', before: 'the session', named: 'sessions' },
  speaker: { noun: 'a speaker', named: 'speakers' },
  doorDevice: { noun: 'a door device' },
  attendance: { noun: 'a scan at the door' },
  submission: { noun: 'a submission', before: 'the submission', named: 'submissions', also: 'proposal abstract paper talk' },
  waitlistEntry: { noun: 'a waiting list entry' },
  hotelWaitlistEntry: { noun: 'a room waiting list entry' },
  inviteList: { noun: 'an invite list' },
  oneTimeCode: { noun: 'a code' },
  personSession: { noun: 'a sign-in' },
  participantSession: { noun: 'a sign-in' },
  'directory connection': { noun: 'a member directory', before: 'the member directory', named: 'directory_connections' },
  'directory credential': { noun: 'a member directory', before: 'the member directory', named: 'directory_connections' },
  'import setup': { noun: 'an import setup' },
  'import run': { noun: 'an import run' },
  taxAssessment: { noun: 'a tax assessment' },
  testRun: { noun: 'test registrations' },
  rehearsal: { noun: 'a rehearsal' },
  memory: { noun: 'a memory', before: 'the memory', named: 'memories' },
  customInstructions: { noun: 'instructions for assistants' },
  rubric: { noun: 'a scoring rubric' },
  responseScore: { noun: 'a score of a response' },
  file: { noun: 'a file', before: 'the file', named: 'files' },
}

const findKind = (name: string): RecordKind | null => (Object.hasOwn(RECORD_KINDS, name) ? RECORD_KINDS[name]! : null)

/** Returns the noun of a record kind, such as "a participant". */
export const getRecordKindNoun = (name: string): string => findKind(name)?.noun ?? name

/** Returns the text before the name of a record, such as "the group ". */
export const getRecordNamePrefix = (name: string): string => {
  const before = findKind(name)?.before
  return before === undefined ? '' : `${before} `
}

export const findRecordNameTable = (name: string): TableWithRecordNames | null => findKind(name)?.named ?? null

/** Returns the search words of a record kind: of its name, its noun and its synonyms. */
export const getRecordKindSearchWords = (name: string): string[] => {
  const kind = findKind(name)
  return splitIntoWords([name, kind?.noun.replace(/^an? /, ''), kind?.also].join(' '))
}

/** Splits a text, or a name in camel case or with underscores, into words in lower case. */
export const splitIntoWords = (text: string): string[] =>
  text
    .replace(/([a-z0-9])([A-Z])/g, '$1 $2')
    .toLowerCase()
    .split(/[^\p{L}\p{N}]+/u)
    .filter(Boolean)

/** The names of all kinds of records, by which the audit log can be filtered. */
export const RECORD_KIND_NAMES: readonly string[] = Object.keys(RECORD_KINDS)
