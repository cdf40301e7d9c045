import type { EmailTrigger } from '../../../../domains/messages/event-mail/built-in.ts'

/** Names a trigger in words: "registration.completed" is shown as "Registration completed". */
export function formatTriggerName(trigger: EmailTrigger): string {
  const words = trigger.replaceAll('.', ' ').replaceAll(/([a-z])([A-Z])/g, '$1 $2')
  return words.charAt(0).toUpperCase() + words.slice(1).toLowerCase()
}

const WHEN: Partial<Record<EmailTrigger, string>> = {
  'registration.completed': 'After a registration is completed',
  'registration.updated': 'After a registration is changed',
  'registration.cancelled': 'After a registration is cancelled',
  'registration.incomplete': 'As a reminder of an unfinished registration',
  'registration.substituted': 'To the person who takes over a registration',
  'payment.received': 'After a payment',
  'payment.due': 'Before and after an invoice is due',
  'payment.failed': 'After a card payment failed',
  'payment.refunded': 'After a refund',
  'waitlist.joined': 'After a person joins a waiting list',
  'waitlist.offered': 'With an offer from the waiting list',
  'waitlist.promoted': 'After a person gets a seat from the waiting list',
  'waitlist.expired': 'After an offer expires',
  'group.invited': 'With an invitation to a group',
  'housing.confirmed': 'After a room is booked',
  'housing.changed': 'After a room is changed',
  'housing.cancelled': 'After a room is cancelled',
  'housing.waitlisted': 'After a person joins the waiting list for rooms',
  'housing.offered': 'With an offer of a room',
  'housing.filled': 'After a person gets a room from the waiting list',
  'housing.guaranteeDue': 'Before the guarantee of a room is due',
  'block.nameDeadline': 'Before the deadline of a room block',
  'block.released': 'After unused rooms of a block are released',
  'appointment.booked': 'After a meeting is booked',
  'appointment.cancelled': 'After a meeting is cancelled',
  none: 'Only when you send it',
}

export const describeTrigger = (trigger: EmailTrigger): string => WHEN[trigger] ?? `When: ${formatTriggerName(trigger).toLowerCase()}`

/** Formats a subject for lists: the event's name is filled in, and other merge fields are shown as their fallback or by name. */
export const formatSubject = (subject: string, eventName: string): string =>
  subject.replaceAll(/\{\{\s*([\w.]+)\s*(?:\|([^}]*))?\}\}/g, (_, path: string, fallback?: string) =>
    path === 'event.name' ? eventName : (fallback ?? `[${nameOfField(path)}]`),
  )

/** Names a merge field in words: "participant.firstName" is shown as "first name". */
const nameOfField = (path: string) => (path.split('.')[1] ?? path).replaceAll(/([a-z])([A-Z])/g, '$1 $2').toLowerCase()
