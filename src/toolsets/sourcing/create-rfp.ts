import { toOneLine, day, flag, id, instant, list, name, text } from '../../kernel/args.ts'
import { eventTool } from '../../kernel/tool.ts'
import { createAndReadRfp } from '../../domains/rfps/list.ts'
import { SupplierQuestionnaireItemShape, DateOptionShape, RfpDetail } from '../../domains/rfps/shapes.ts'

export default eventTool({
  name: 'create_rfp',
  title: 'Draft a new request for proposals (RFP)',
  description:
    'Write up the tender paper hotels quote on from the final specs (requirements) in a locked brief: alternative dates, custom questions, due times, sealed or open offers, rubric. Later edits of the brief do not alter it. Sends nothing: use distribute_rfp. Returns the RFP and warnings.',
  effect: 'change',
  permission: 'sourcing.write',
  keyed: true,
  dryRun: true,
  input: {
    briefId: id('brief'),
    title: name(200).optional(),
    dateOptions: list(toOneLine(DateOptionShape, 'arrival, departure'), 13).min(1).optional(),
    questions: list(toOneLine(SupplierQuestionnaireItemShape, 'code, text, type, choices[], required, mustBe'), 50).optional(),
    rubricId: id('rubric').optional(),
    sealed: flag().default(true),
    questionsDueAt: instant().optional(),
    responseDueAt: instant(),
    decisionOn: day(),
    attachments: list(id('file'), 10).optional(),
  },
  output: { rfp: RfpDetail, warnings: list(text()) },
  run: createAndReadRfp,
})
