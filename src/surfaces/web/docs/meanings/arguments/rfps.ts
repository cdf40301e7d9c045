import type { FieldDocsByTool } from '../meanings.ts'

const RFP = 'The RFP.'

export const RFP_ARGUMENT_DOCS: FieldDocsByTool = {
  list_rfps: { status: 'Only RFPs in these states.', rfpId: 'One RFP, in full.' },
  create_rfp: {
    briefId: 'The locked brief.',
    title: 'Title that suppliers see. The title of the brief if left out.',
    dateOptions: 'Dates to offer for, the preferred ones first. Those of the brief if left out.',
    'dateOptions.arrival': 'First night.',
    'dateOptions.departure': 'Day of departure.',
    questions: 'Questions that suppliers answer in their response.',
    'questions.code': 'Short code, unique in this RFP.',
    'questions.text': 'The question.',
    'questions.type': 'Type of the answer. Amounts of money are minor units of the currency.',
    'questions.choices': 'The allowed answers of a choice.',
    'questions.required': 'Whether an answer is needed.',
    'questions.mustBe': 'The answer without which a response is knocked out.',
    rubricId: 'Scoring rubric to copy.',
    sealed: 'Whether responses can be read only after the due time.',
    questionsDueAt: 'Until when suppliers can ask. 3 days before responseDueAt if left out.',
    responseDueAt: 'Until when suppliers can respond.',
    decisionOn: 'Day of the decision, after responseDueAt.',
    attachments: 'Ids of files for suppliers.',
  },
  add_rfp_recipient: {
    rfpId: RFP,
    recipients: 'The suppliers.',
    'recipients.supplierId': 'The supplier.',
    'recipients.contactEmail': 'Address to write to. The supplier’s first contact if left out.',
  },
  distribute_rfp: {
    rfpId: RFP,
    recipientIds: 'Only these recipients. All who do not have it yet if left out.',
    message: 'Text for the email.',
  },
  post_rfp_question: {
    rfpId: RFP,
    body: 'The question or the answer.',
    recipientIds: 'Whom to ask. All suppliers if left out.',
    answerTo: 'The question of a supplier that this answers.',
    shareWith: 'Who reads the answer: all suppliers, or the asker alone.',
  },
}
