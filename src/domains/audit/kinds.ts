/** Records as the log knows them: what one is called that has no name, and where its name is kept today. */
interface Kind {
  noun: string
  /** Said before a name that does not tell by itself what it is the name of. */
  before?: string
  /** Whose id the entry gives, where it is not the record's own. */
  named?: NamedIn
}

/** What keeps names: of the tenant, or of an event. */
export type NamedIn = keyof typeof NAMES_OF_TENANT | keyof typeof NAMES_OF_EVENT

/** Each as `r`; in SQL, because a page of the log reads the names of all its records at once. */
export const NAMES_OF_TENANT = {
  events: 'r.name',
  clients: 'r.name',
  users: 'r.name',
  api_accounts: 'r.name',
  // What stands after the question mark of an address is often a key.
  webhook_endpoints: `regexp_replace(r.url, '\\?.*$', '?…')`,
  contacts: `nullif(concat_ws(' ', r.first_name, r.last_name), '')`,
  memories: 'r.title',
  files: 'r.name',
} as const

export const NAMES_OF_EVENT = {
  participants: `coalesce(nullif(concat_ws(' ', r.first_name, r.last_name), ''), r.email)`,
  managed_groups: 'r.name',
  group_invites: 'r.email',
  orders: 'r.number',
  invoices: 'r.number',
  payments: 'r.receipt_number',
  refunds: 'r.receipt_number',
  event_hotels: 'r.name',
  room_blocks: 'r.name',
  companies: 'r.name',
  floor_plans: 'r.name',
  booths: 'r.number',
  sessions: 'r.title',
  speakers: `concat_ws(' ', r.first_name, r.last_name)`,
  directory_connections: 'r.name',
} as const

const KINDS: Readonly<Record<string, Kind>> = {
  participant: { noun: 'a participant', named: 'participants' },
  contact: { noun: 'a contact', before: 'the contact', named: 'contacts' },
  event: { noun: 'an event', named: 'events' },
  configuration: { noun: 'a draft', named: 'events' },
  client: { noun: 'a client', named: 'clients' },
  user: { noun: 'somebody', named: 'users' },
  member: { noun: 'a member', named: 'users' },
  invitation: { noun: 'somebody', named: 'users' },
  eventStaff: { noun: 'somebody', named: 'users' },
  apiAccount: { noun: 'an API account', before: 'the API account', named: 'api_accounts' },
  apiToken: { noun: 'an API account', before: 'the API account', named: 'api_accounts' },
  webhook: { noun: 'a webhook', before: 'the webhook', named: 'webhook_endpoints' },
  grant: { noun: 'an app' },
  connectedApp: { noun: 'an app' },
  group: { noun: 'a group', before: 'the group', named: 'managed_groups' },
  groupInvite: { noun: 'somebody', named: 'group_invites' },
  order: { noun: 'an order', before: 'order', named: 'orders' },
  invoice: { noun: 'an invoice', before: 'invoice', named: 'invoices' },
  payment: { noun: 'a payment', before: 'payment', named: 'payments' },
  refund: { noun: 'a refund', before: 'refund', named: 'refunds' },
  charge: { noun: 'a card payment' },
  savedCard: { noun: 'a card' },
  cardSetup: { noun: 'a card' },
  hotel: { noun: 'a hotel', before: 'the hotel', named: 'event_hotels' },
  block: { noun: 'a block of rooms', before: 'the block of rooms', named: 'room_blocks' },
  reservation: { noun: 'a room' },
  roomShare: { noun: 'a shared room' },
  company: { noun: 'an exhibitor', before: 'the exhibitor', named: 'companies' },
  boothApplication: { noun: 'an application for a booth' },
  booth: { noun: 'a booth', before: 'booth', named: 'booths' },
  floorPlan: { noun: 'a floor plan', before: 'the floor plan', named: 'floor_plans' },
  licence: { noun: 'a licence for leads' },
  lead: { noun: 'a lead' },
  leadDevice: { noun: 'a lead device' },
  appointment: { noun: 'an appointment with an exhibitor' },
  session: { noun: 'a session', before: 'the session', named: 'sessions' },
  speaker: { noun: 'a speaker', named: 'speakers' },
  waitlistEntry: { noun: 'a place on a waitlist' },
  hotelWaitlistEntry: { noun: 'a place on a waitlist for rooms' },
  inviteList: { noun: 'an invite list' },
  oneTimeCode: { noun: 'a code' },
  personSession: { noun: 'a sign-in' },
  participantSession: { noun: 'a sign-in' },
  'directory connection': { noun: 'a member directory', before: 'the member directory', named: 'directory_connections' },
  'directory credential': { noun: 'a member directory', before: 'the member directory', named: 'directory_connections' },
  'import setup': { noun: 'the set-up of imports' },
  'import run': { noun: 'a run of imports' },
  taxAssessment: { noun: 'an assessment of taxes' },
  testRun: { noun: 'test registrations' },
  rehearsal: { noun: 'a rehearsal' },
  memory: { noun: 'a memory', before: 'the memory', named: 'memories' },
  customInstructions: { noun: 'instructions for assistants' },
  file: { noun: 'a file', before: 'the file', named: 'files' },
}

const kindOf = (name: string): Kind | null => (Object.hasOwn(KINDS, name) ? KINDS[name]! : null)

/** One of them, without a name: a participant. */
export const nounOf = (name: string): string => kindOf(name)?.noun ?? name

/** What is said before its name: the group. */
export const wordBefore = (name: string): string => {
  const before = kindOf(name)?.before
  return before === undefined ? '' : `${before} `
}

export const namedIn = (name: string): NamedIn | null => kindOf(name)?.named ?? null

/** Kinds that a change can be about, as people choose them: those of one noun are one choice. */
export const KIND_NAMES: readonly string[] = Object.keys(KINDS)
