import type { EmailTrigger } from '../../../../domains/messages/event-mail/built-in.ts'

/** The name of each email, and when it is sent. */
const TRIGGER_TEXTS: Record<EmailTrigger, { name: string; when: string }> = {
  'registration.completed': { name: 'Registration confirmed', when: 'After a registration is completed' },
  'registration.updated': { name: 'Registration changed', when: 'After a registration is changed' },
  'registration.cancelled': { name: 'Registration cancelled', when: 'After a registration is cancelled' },
  'registration.incomplete': { name: 'Reminder to finish registration', when: 'As a reminder of an unfinished registration' },
  'registration.substituted': { name: 'Registration taken over', when: 'To the person who takes over a registration' },
  'payment.received': { name: 'Payment received', when: 'After a payment' },
  'payment.due': { name: 'Payment reminder', when: 'Before and after an invoice is due' },
  'payment.failed': { name: 'Payment failed', when: 'After a card payment failed' },
  'payment.refunded': { name: 'Refund', when: 'After a refund' },
  'waitlist.joined': { name: 'On the waiting list', when: 'After a person joins a waiting list' },
  'waitlist.offered': { name: 'Seat offered from the waiting list', when: 'With an offer from the waiting list' },
  'waitlist.promoted': { name: 'Seat from the waiting list', when: 'After a person gets a seat from the waiting list' },
  'waitlist.expired': { name: 'Offer expired', when: 'After an offer expires' },
  'group.invited': { name: 'Invitation to a group', when: 'With an invitation to a group' },
  'group.memberAdded': { name: 'Added to a group', when: 'After a person is added to a group' },
  'guest.added': { name: 'Guest added', when: 'After a participant adds a guest' },
  'company.invited': { name: 'Invitation of an exhibitor', when: 'With the invitation of a company' },
  'booth.assigned': { name: 'Booth assigned', when: 'After a company gets a booth' },
  'booth.application': { name: 'Booth application', when: 'After a company applies for a booth, and after the decision' },
  'speaker.invited': { name: 'Invitation of a speaker', when: 'With the invitation of a speaker' },
  'submission.received': { name: 'Proposal received', when: 'After a proposal is submitted' },
  'submission.decided': { name: 'Decision on a proposal', when: 'When authors are informed of the decision' },
  'session.cancelled': { name: 'Session cancelled', when: 'After a session is cancelled, to everyone enrolled' },
  'housing.confirmed': { name: 'Room booked', when: 'After a room is booked' },
  'housing.changed': { name: 'Room changed', when: 'After a room is changed' },
  'housing.cancelled': { name: 'Room cancelled', when: 'After a room is cancelled' },
  'housing.waitlisted': { name: 'On the waiting list for rooms', when: 'After a person joins the waiting list for rooms' },
  'housing.offered': { name: 'Room offered', when: 'With an offer of a room' },
  'housing.filled': { name: 'Room from the waiting list', when: 'After a person gets a room from the waiting list' },
  'housing.guaranteeDue': { name: 'Room guarantee due', when: 'Before the guarantee of a room is due' },
  'block.received': { name: 'Room request received', when: 'After a group asks for rooms' },
  'block.allocated': { name: 'Rooms allocated', when: 'After the rooms of a request are allocated' },
  'block.amended': { name: 'Change to a room request', when: 'After a room request is changed' },
  'block.released': { name: 'Unused rooms released', when: 'After unused rooms of a block are released' },
  'block.nameDeadline': { name: 'Names for rooms due', when: 'Before the deadline of a room block' },
  'appointment.booked': { name: 'Meeting booked', when: 'After a meeting is booked' },
  'appointment.changed': { name: 'Meeting changed', when: 'After a meeting is changed' },
  'appointment.cancelled': { name: 'Meeting cancelled', when: 'After a meeting is cancelled' },
  'upsell.accepted': { name: 'Offer accepted', when: 'After a participant accepts an offer of a product' },
  'survey.invited': { name: 'Invitation to a survey', when: 'With the personal link to a survey' },
  'staff.invited': { name: 'Invitation of staff', when: 'With the invitation of a colleague' },
  'signin.code': { name: 'Sign-in code', when: 'When a participant signs in' },
  none: { name: 'Sent by hand', when: 'Only when you send it' },
}

export const formatTriggerName = (trigger: EmailTrigger): string => TRIGGER_TEXTS[trigger].name

export const describeTrigger = (trigger: EmailTrigger): string => TRIGGER_TEXTS[trigger].when

/** The groups in the list of emails. An email's group depends on the first part of its trigger's code, such as `payment`. */
export const EMAIL_TRIGGER_GROUPS: readonly { title: string; subjects: readonly string[] }[] = [
  { title: 'Registration', subjects: ['registration', 'guest', 'upsell', 'signin'] },
  { title: 'Payment', subjects: ['payment'] },
  { title: 'Waiting lists', subjects: ['waitlist'] },
  { title: 'Groups', subjects: ['group'] },
  { title: 'Exhibitors', subjects: ['company', 'booth', 'appointment'] },
  { title: 'Programme', subjects: ['speaker', 'submission', 'session'] },
  { title: 'Housing', subjects: ['housing', 'block'] },
  { title: 'Other', subjects: ['survey', 'staff', 'none'] },
]

/** Formats an email's subject for lists: the event's name is filled in, and other merge fields are shown as their fallback or by name. */
export const formatSubject = (subject: string, eventName: string): string =>
  subject.replaceAll(/\{\{\s*([\w.]+)\s*(?:\|([^}]*))?\}\}/g, (_, path: string, fallback?: string) =>
    path === 'event.name' ? eventName : (fallback ?? `[${formatMergeFieldName(path)}]`),
  )

/** Names a merge field in words: "participant.firstName" is shown as "first name". */
export const formatMergeFieldName = (path: string): string =>
  path === 'appointment.with' ? 'company' : (path.split('.')[1] ?? path).replaceAll(/([a-z])([A-Z])/g, '$1 $2').toLowerCase()

/** Entities that labels of merge fields leave out, because they are the recipient: "First name" instead of "Participant first name". */
const OWN_ENTITIES: ReadonlySet<string> = new Set(['participant', 'contact', 'speaker'])

/** The label of a merge field in a list of all fields: "First name", "Event name", "Product price". */
export function formatMergeFieldLabel(path: string): string {
  const [entity = ''] = path.split('.')
  const name = formatMergeFieldName(path)
  const label = OWN_ENTITIES.has(entity) || name.startsWith(entity) ? name : `${entity} ${name}`
  return label.charAt(0).toUpperCase() + label.slice(1)
}
