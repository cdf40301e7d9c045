import { createHash } from 'node:crypto'
import { foldEmailCase } from '../../kernel/email-address.ts'
import type { Db } from '../../kernel/columns.ts'
import { countHourlyCallInTransaction } from '../access/rate-windows.ts'

/**
 * Emails that visitors can send to any address without proving that it is theirs, with the maximum per mailbox and hour. The limit covers
 * all events of all tenants, because the recipient has one mailbox.
 */
const MAX_PER_HOUR = {
  /** Emails which say that the address already has a registration. */
  existingRegistration: 3,
  /** Emails with invite codes to people on an invitation list. */
  inviteCode: 3,
  /** Emails with sign-in codes for participant pages. Each event also has its own limit. */
  signInCode: 6,
  /** Emails about registrations whose address was never verified. The limit allows several, because members of a family share a mailbox. */
  unverifiedRegistration: 6,
  /** Invitations to a group. Limited, because every participant can create a group and invite any email address. */
  groupInvitation: 3,
  /** Confirmations of receipt of a proposed conference session. */
  submission: 3,
} as const

type StrangerEmail = keyof typeof MAX_PER_HOUR

/**
 * Counts an email that an unknown visitor may have caused, and returns whether it is within the limit. Above the limit the caller sends no
 * email and responds as usual, so that the response does not reveal whether earlier emails were sent.
 */
export async function mayEmailMailbox({ db }: { db: Db }, kind: StrangerEmail, email: string): Promise<boolean> {
  const mailbox = createHash('sha256').update(foldEmailCase(email.trim())).digest('base64url')
  return (await countHourlyCallInTransaction(db, `mailbox:${kind}:${mailbox}`)) <= MAX_PER_HOUR[kind]
}
