import type { Selectable } from 'kysely'
import type { Tables } from '../../kernel/columns.ts'
import type { BriefAnswers, DateOption } from '../briefs/answers.ts'

export const QUESTION_TYPES = ['text', 'number', 'boolean', 'choice', 'money'] as const

/** A question that suppliers answer in their response. */
export interface SupplierQuestionnaireItem {
  code: string
  text: string
  type: (typeof QUESTION_TYPES)[number]
  choices?: string[] | undefined
  required: boolean
  /** The required answer: a response with another answer is disqualified. */
  mustBe?: string | number | boolean | undefined
}

export const CRITERION_FORMULAS = ['lowestCost', 'distance', 'roomsFit', 'spaceFit', 'concessions'] as const

export interface RubricCriterion {
  code: string
  name: string
  weight: number
  scorer: 'manual' | 'formula'
  /** The formula of the criterion: one of `CRITERION_FORMULAS`, or `answer:` with the code of a question. */
  formula?: string
  /** What each score from 0 to 5 means, as guidance for evaluators. */
  anchors?: Partial<Record<'0' | '1' | '2' | '3' | '4' | '5', string>>
  /** The minimum score of the criterion: a response whose average fails it is disqualified. */
  mustHave?: { op: '>=' | '>' | '='; value: number }
}

/** The copy of a rubric with which the responses to an RFP are scored. */
export interface AttachedRubric {
  rubricId?: string
  name: string
  criteria: RubricCriterion[]
}

export type RfpRow = Selectable<Tables['rfps']>
export type RecipientRow = Selectable<Tables['rfp_recipients']>
export type QuestionRow = Selectable<Tables['rfp_questions']>

declare module '../../kernel/columns.ts' {
  interface ColumnTypes {
    'rfps.requirements': BriefAnswers
    'rfps.date_options': DateOption[]
    'rfps.questions': SupplierQuestionnaireItem[]
    'rfps.rubric': AttachedRubric
    'rfp_recipients.draft': Record<string, unknown>
  }
}
