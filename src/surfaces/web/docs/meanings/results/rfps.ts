import type { FieldDocsByTool } from '../meanings.ts'

export const RFP_RESULT_DOCS: FieldDocsByTool = {
  list_rfps: { rfps: 'The RFPs, newest first. Counts of recipients sum to `total`.', rfp: 'The RFP in full, with `rfpId`.' },
  create_rfp: { rfp: 'The RFP as a draft.', warnings: 'Points to check, such as little time to respond.' },
  add_rfp_recipient: {
    added: 'Number of suppliers that were added.',
    skipped: 'Suppliers that were not added, with the reason.',
    recipients: 'All recipients of the RFP.',
  },
  distribute_rfp: {
    queued: 'Number of emails.',
    skipped: 'Recipients who got no email, with the reason.',
    status: 'Status of the RFP.',
    round: 'Number of the round that this distribution began.',
    subject: 'Subject of the email. Only in a dry run.',
    html: 'The email as HTML, with a placeholder for the link. Only in a dry run.',
    pdf: 'The attached PDF. Only in a dry run.',
  },
  post_rfp_question: { question: 'The question with its answers.', notified: 'Number of suppliers who got an email.' },
}
