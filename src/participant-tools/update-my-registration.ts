import { z } from 'zod'
import { toOneLine, ifRevision } from '../kernel/args.ts'
import { registrantTool } from '../kernel/participant-tool.ts'
import { OwnRegistrationEditResult, editOwnRegistration } from '../domains/registration/own/edit-own.ts'
import { omitErrorReasons } from '../domains/registration/own/own-answers.ts'

export default registrantTool({
  name: 'update_my_registration',
  title: "Change the person's answers",
  description:
    'Change, correct or amend details the person gave when they signed up (job title, company name, mobile phone number, dietary requirement as vegan); what is overwritten cannot be undone, so preview with dryRun. All or nothing. Not for a new registration (use agent_submit_registration). Returns what changed, errors, what is missing.',
  effect: 'destructive',
  idempotent: true,
  dryRun: true,
  input: {
    data: toOneLine(z.record(z.string().max(200), z.unknown()), 'by binding of describe_my_flow; null clears'),
    ifRevision: ifRevision(),
  },
  output: OwnRegistrationEditResult,
  run: async (ctx, input) => omitErrorReasons(await editOwnRegistration(ctx, input)),
})
