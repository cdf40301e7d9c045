import { buildHeading, buildParagraphs, defineNoticeEmail } from '../messages/rendering/notice.ts'

interface DecisionNotice {
  supplier: string
  event: string
  client: string
  rfp: string
}

/** The email that informs a supplier that its response won. The contract follows in another email. */
export const awardWonEmail = defineNoticeEmail<DecisionNotice & { rooms: number }>({
  code: 'award-won',
  category: 'transactional',
  write: ({ supplier, event, client, rfp, rooms }, { words: { say } }) => ({
    subject: say('mail.awardWon.subject', { rfp, event }),
    preheader: say('mail.awardWon.text', { supplier, client, rfp, event }),
    blocks: [
      buildHeading(say('mail.awardWon.heading')),
      buildParagraphs(
        say('mail.awardWon.text', { supplier, client, rfp, event }),
        ...(rooms === 0 ? [] : [say('mail.awardWon.rooms', { rooms })]),
        say('mail.awardWon.next'),
      ),
    ],
  }),
})

/** The email that informs a supplier that another response won, with the reason. */
export const awardDeclinedEmail = defineNoticeEmail<DecisionNotice & { reason: string | null; winner: string | null }>({
  code: 'award-declined',
  category: 'transactional',
  write: ({ supplier, event, client, rfp, reason, winner }, { words: { say } }) => ({
    subject: say('mail.awardDeclined.subject', { rfp, event }),
    preheader: say('mail.awardDeclined.text', { supplier, client, rfp, event }),
    blocks: [
      buildHeading(say('mail.awardDeclined.heading')),
      buildParagraphs(
        say('mail.awardDeclined.text', { supplier, client, rfp, event }),
        ...(reason === null ? [] : [reason]),
        ...(winner === null ? [] : [say('mail.awardDeclined.winner', { winner })]),
        say('mail.awardDeclined.thanks'),
      ),
    ],
  }),
})
