import type { FieldDocsByTool } from '../meanings.ts'

const COMPARED = {
  rfpId: 'The RFP whose responses are compared.',
  responseIds: 'Only these responses. Default: all that can be compared.',
  dateOption: 'Only responses for this date option; 0 is the preferred one.',
  currency: 'Currency of the comparison. Default: the currency of the RFP.',
}

export const BID_ARGUMENT_DOCS: FieldDocsByTool = {
  list_rfp_responses: {
    rfpId: 'The RFP.',
    responseId: 'One response, which is shown in full.',
    allRounds: 'Also responses of earlier rounds and withdrawn ones.',
  },
  compare_responses: COMPARED,
  summarize_comparison: { ...COMPARED, maxWords: 'Longest text, in words.' },
  create_scoring_rubric: {
    name: 'Name of the rubric.',
    criteria: 'The criteria. Their weights sum to 100.',
    'criteria.code': 'Short code, used to record scores.',
    'criteria.name': 'Name of the criterion.',
    'criteria.weight': 'Share of the total score.',
    'criteria.scorer': 'Scored by people, or by a formula.',
    'criteria.formula': 'lowestCost, distance, roomsFit, spaceFit, concessions or answer:<code>.',
    'criteria.anchors': 'What each score from 0 to 5 means.',
    'criteria.mustHave': 'A response whose average fails this is knocked out.',
    'criteria.mustHave.op': 'How the average is compared.',
    'criteria.mustHave.value': 'The score that it is compared with.',
    rfpId: 'RFP that gets a copy of the rubric.',
    rubricId: 'Rubric to edit or attach, instead of a new one.',
  },
  list_scoring_rubrics: { rubricId: 'Only this rubric.', rfpId: 'The rubric of this RFP, with the scores of its responses.' },
  record_manual_scores: {
    rfpId: 'The RFP.',
    scores: 'The scores of one evaluator.',
    'scores.responseId': 'The response that is scored.',
    'scores.criterion': 'Code of a criterion that people score.',
    'scores.score': '0 to 5 in halves.',
    'scores.note': 'Reason for the score.',
    evaluator: 'The user who scores. Default: you. Others need clients.admin.',
  },
}
