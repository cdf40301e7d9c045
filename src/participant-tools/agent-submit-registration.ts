import { z } from 'zod'
import { toOneLine, code } from '../kernel/args.ts'
import { personTool } from '../kernel/participant-tool.ts'
import { queryFlowDirectories } from '../domains/registration/flows/flow-directories.ts'
import { OwnSubmissionResult, submitOwnRegistration } from '../domains/registration/own/submit-own.ts'
import { omitErrorReasons } from '../domains/registration/own/own-answers.ts'

export default personTool({
  name: 'agent_submit_registration',
  title: 'Register the person',
  description:
    'Sign the person up when they have decided to come (register a delegate): begin a registration with their name, company and other answers and get the link (url) where they finish it and pay at checkout; this cannot be undone. Not for changing one (use update_my_registration). Returns status, the link, or errors by answer.',
  effect: 'destructive',
  idempotent: true,
  openWorld: true,
  input: {
    flowSlug: code().optional(),
    data: toOneLine(z.record(z.string().max(200), z.unknown()), 'by binding of agent_list_flows'),
  },
  output: OwnSubmissionResult,
  prefetch: (ctx, { flowSlug }) => queryFlowDirectories(ctx, flowSlug),
  run: async (...call) => omitErrorReasons(await submitOwnRegistration(...call)),
})
