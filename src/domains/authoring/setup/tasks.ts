import type { EventContext } from '../../../kernel/context.ts'
import { invalidArguments } from '../../../kernel/errors.ts'
import { isFlowOpen } from '../../configuration/flow/collected-answers.ts'
import * as taskChecks from './task-checks.ts'
import { type SetupContext, loadSetupContext } from './context.ts'

interface TaskDefinition {
  code: string
  title: string
  blocks: taskChecks.StepBlockedBySetupTask
  paths: readonly string[]
  tools: readonly string[]
  /** Ids of the setup tasks that must be done first. */
  needs?: readonly string[]
  check: (context: SetupContext) => taskChecks.SetupTaskResult
}

/**
 * Setup tasks in recommended order. Their states are never stored: every task is evaluated on each call. Only tasks that a tool can
 * complete are listed.
 */
const TASKS: readonly TaskDefinition[] = [
  {
    code: 'basics.details',
    title: 'Describe the event',
    blocks: 'publish',
    paths: ['/details'],
    tools: ['config_set'],
    check: taskChecks.checkEventDetails,
  },
  {
    code: 'basics.locales',
    title: 'Translate the texts',
    blocks: 'nothing',
    paths: ['/translations'],
    tools: ['config_explore', 'config_set'],
    check: taskChecks.checkLocales,
  },
  {
    code: 'basics.staff',
    title: 'Add a second editor',
    blocks: 'nothing',
    paths: [],
    tools: ['assign_event_staff'],
    check: taskChecks.checkStaff,
  },
  {
    code: 'design.theme',
    title: 'Set logo and colours',
    blocks: 'nothing',
    paths: ['/theme'],
    tools: ['config_set'],
    check: taskChecks.checkTheme,
  },
  {
    code: 'catalog.products',
    title: 'Set a price for admission',
    blocks: 'open',
    paths: ['/products'],
    tools: ['configure_event', 'config_set'],
    check: taskChecks.checkProducts,
  },
  {
    code: 'catalog.taxes',
    title: 'Set the taxes',
    blocks: 'open',
    paths: ['/taxes', '/products'],
    tools: ['configure_event'],
    check: taskChecks.checkTaxes,
  },
  {
    code: 'catalog.policies',
    title: 'Write the policies',
    blocks: 'open',
    paths: ['/policies'],
    tools: ['configure_event'],
    check: taskChecks.checkPolicies,
  },
  {
    code: 'flow.exists',
    title: 'Create a registration flow',
    blocks: 'open',
    paths: ['/flows'],
    tools: ['configure_event', 'copy_event_config'],
    check: taskChecks.checkFlowExists,
  },
  {
    code: 'flow.valid',
    title: 'Fix errors',
    blocks: 'publish',
    paths: ['/flows'],
    tools: ['validate_schema', 'config_set'],
    needs: ['flow.exists'],
    check: taskChecks.checkFlowValid,
  },
  {
    code: 'flow.reviewed',
    title: 'Review the flows',
    blocks: 'publish',
    paths: ['/flows'],
    tools: ['review_flow', 'config_set'],
    needs: ['flow.exists'],
    check: taskChecks.checkFlowReviewed,
  },
  {
    code: 'flow.rehearsed',
    title: 'Test the flows',
    blocks: 'open',
    paths: ['/flows'],
    tools: ['rehearse_flow', 'get_flow_rehearsal'],
    needs: ['flow.exists'],
    check: taskChecks.checkFlowTested,
  },
  {
    code: 'payment.provider',
    title: 'Set up payment',
    blocks: 'open',
    paths: [],
    tools: ['update_client', 'config_set'],
    check: taskChecks.checkPayment,
  },
  {
    code: 'email.sender',
    title: 'Set up the confirmation email',
    blocks: 'open',
    paths: ['/emails'],
    tools: ['configure_event'],
    check: taskChecks.checkEmailSender,
  },
  {
    code: 'directory.ready',
    title: 'Test the member directory',
    blocks: 'publish',
    paths: ['/flows'],
    tools: ['test_directory_connection'],
    check: taskChecks.checkDirectoryConnections,
  },
  {
    code: 'exhibitors.setup',
    title: 'Set up exhibitors',
    blocks: 'nothing',
    paths: ['/exhibitorConfig'],
    tools: ['configure_event'],
    check: taskChecks.checkExhibitors,
  },
  {
    code: 'sessions.setup',
    title: 'Set up the programme',
    blocks: 'nothing',
    paths: ['/sessions'],
    tools: ['configure_event'],
    check: taskChecks.checkSessions,
  },
  {
    code: 'badge.designed',
    title: 'Design the badge',
    blocks: 'nothing',
    paths: ['/badge'],
    tools: ['config_set'],
    check: taskChecks.checkBadge,
  },
  {
    code: 'surveys.ready',
    title: 'Finish the surveys',
    blocks: 'nothing',
    paths: ['/surveys'],
    tools: ['config_set'],
    check: taskChecks.checkSurveys,
  },
  {
    code: 'publish.first',
    title: 'Publish',
    blocks: 'open',
    paths: [],
    tools: ['publish_event'],
    needs: ['flow.exists', 'flow.valid'],
    check: taskChecks.checkEventPublished,
  },
  {
    code: 'publish.current',
    title: 'Publish the latest changes',
    blocks: 'open',
    paths: [],
    tools: ['diff_versions', 'publish_event'],
    needs: ['publish.first'],
    check: taskChecks.checkNoUnpublishedChanges,
  },
  {
    code: 'open.window',
    title: 'Open registration',
    blocks: 'open',
    paths: ['/flows'],
    tools: ['config_set'],
    needs: ['flow.exists'],
    check: taskChecks.checkRegistrationOpenPeriod,
  },
  {
    code: 'testmode.off',
    title: 'Turn test mode off',
    blocks: 'open',
    paths: [],
    tools: ['update_event'],
    needs: ['publish.first'],
    check: taskChecks.checkTestModeOff,
  },
]

export const SETUP_TASK_SECTIONS = [...new Set(TASKS.map(({ code }) => code.split('.')[0]!))]

export interface SetupTask {
  code: string
  section: string
  title: string
  state: 'done' | 'todo' | 'blocked' | 'notNeeded'
  blocks: taskChecks.StepBlockedBySetupTask
  why: string
  evidence?: string
  paths: string[]
  tools: string[]
  blockedBy: string[]
}

/** Lists the setup tasks of an event with their states, evaluated from the current configuration and records. */
export async function listSetupTasks(
  ctx: EventContext,
  { section, onlyOpen = false }: { section?: string | undefined; onlyOpen?: boolean } = {},
) {
  if (section !== undefined && !SETUP_TASK_SECTIONS.includes(section)) {
    throw invalidArguments([
      {
        path: 'section',
        message: `${JSON.stringify(section.slice(0, 40))} is not a section; sections are ${SETUP_TASK_SECTIONS.join(', ')}`,
        allowed: SETUP_TASK_SECTIONS,
      },
    ])
  }
  const context = await loadSetupContext(ctx)
  const all = evaluateTasks(context)
  const count = (state: SetupTask['state']) => all.filter((task) => task.state === state).length
  const [done, todo, blocked] = [count('done'), count('todo'), count('blocked')]
  const open = (task: SetupTask) => task.state === 'todo' || task.state === 'blocked'
  return {
    tasks: all.filter((task) => (section === undefined || task.section === section) && (!onlyOpen || open(task))),
    summary: { done, todo, blocked, notNeeded: count('notNeeded'), percent: Math.round((100 * done) / Math.max(1, done + todo + blocked)) },
    readyToPublish: taskChecks.canPublish(context),
    readyToOpen: !all.some((task) => task.blocks !== 'nothing' && open(task)),
    open: listOpenFlows(context),
  }
}

/** Lists the flows that are open for registration now. */
function listOpenFlows({ live, draft: { facts } }: SetupContext): { slug: string; closesAt: string | null }[] {
  if (!live || facts.status !== 'published') return []
  return live.config.flows.filter((flow) => !flow.retired && isFlowOpen(flow, facts.now)).map(({ slug, closesAt }) => ({ slug, closesAt }))
}

function evaluateTasks(context: SetupContext): SetupTask[] {
  const states = new Map<string, taskChecks.SetupTaskResult['state']>()
  return TASKS.map(({ code, title, needs = [], check, ...usual }) => {
    const { state, why, evidence, blocks = usual.blocks, paths = usual.paths, tools = usual.tools } = check(context)
    states.set(code, state)
    const blockedBy = state === 'todo' ? needs.filter((need) => states.get(need) === 'todo') : []
    return {
      code,
      section: code.split('.')[0]!,
      title,
      state: blockedBy.length > 0 ? 'blocked' : state,
      blocks,
      why: blockedBy.length > 0 ? `first: ${blockedBy.join(', ')}` : why,
      ...(evidence ? { evidence } : {}),
      // Only open setup tasks list the configuration paths to edit and the tools to call.
      paths: state === 'todo' ? [...paths] : [],
      tools: state === 'todo' ? [...tools] : [],
      blockedBy,
    }
  })
}
