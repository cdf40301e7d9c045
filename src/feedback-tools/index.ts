import type { Tool } from '../kernel/tool.ts'
import addFeedbackNote from './add-feedback-note.ts'
import getFeedbackStats from './get-feedback-stats.ts'
import getFeedback from './get-feedback.ts'
import listFeedback from './list-feedback.ts'
import mergeFeedback from './merge-feedback.ts'
import updateFeedback from './update-feedback.ts'

/** The feedback tracker's tools, in the order in which clients list them. */
export const FEEDBACK_TOOLS: readonly Tool[] = [listFeedback, getFeedback, updateFeedback, addFeedbackNote, mergeFeedback, getFeedbackStats]
