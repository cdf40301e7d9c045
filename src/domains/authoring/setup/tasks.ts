import type { EventContext } from '../../../kernel/context.ts'
import { invalidArguments } from '../../../kernel/errors.ts'
import { isFlowOpen } from '../../configuration/flow/collects.ts'
import * as judge from './judgements.ts'
import { type SetupScene, setupScene } from './scene.ts'

interface Definition {
  code: string
  title: string
  blocks: judge.Blocks
  paths: readonly string[]
  tools: readonly string[]
  /** Tasks that must be done before this one can be. */
  needs?: readonly string[]
  judge: (scene: SetupScene) => judge.Judgement
}

/**
 * In the order in which they are best done. Nothing is ticked: each is looked at anew. What no tool could mend is no task: nobody could
 * ever finish it.
 */
const TASKS: readonly Definition[] = [
  {
    code: 'basics.details',
    title: 'Say what the event is',
    blocks: 'publish',
    paths: ['/details'],
    tools: ['config_set'],
    judge: judge.details,
  },
  {
    code: 'basics.locales',
    title: 'Translate the texts',
    blocks: 'nothing',
    paths: ['/translations'],
    tools: ['config_set'],
    judge: judge.locales,
  },
  { code: 'basics.staff', title: 'Have a second person', blocks: 'nothing', paths: [], tools: ['assign_event_staff'], judge: judge.staff },
  { code: 'design.theme', title: 'Set logo and colours', blocks: 'nothing', paths: ['/theme'], tools: ['config_set'], judge: judge.theme },
  {
    code: 'catalog.products',
    title: 'Price the admission',
    blocks: 'open',
    paths: ['/products'],
    tools: ['configure_event', 'config_set'],
    judge: judge.products,
  },
  {
    code: 'catalog.taxes',
    title: 'Decide the taxes',
    blocks: 'open',
    paths: ['/taxes', '/products'],
    tools: ['configure_event'],
    judge: judge.taxes,
  },
  {
    code: 'catalog.policies',
    title: 'Write the policies',
    blocks: 'open',
    paths: ['/policies'],
    tools: ['configure_event'],
    judge: judge.policies,
  },
  {
    code: 'flow.exists',
    title: 'Make a registration flow',
    blocks: 'open',
    paths: ['/flows'],
    tools: ['configure_event', 'copy_event_config'],
    judge: judge.flowExists,
  },
  {
    code: 'flow.valid',
    title: 'Mend what is broken',
    blocks: 'publish',
    paths: ['/flows'],
    tools: ['validate_schema', 'config_set'],
    needs: ['flow.exists'],
    judge: judge.flowValid,
  },
  {
    code: 'flow.reviewed',
    title: 'Review the flows',
    blocks: 'publish',
    paths: ['/flows'],
    tools: ['review_flow', 'config_set'],
    needs: ['flow.exists'],
    judge: judge.flowReviewed,
  },
  {
    code: 'flow.rehearsed',
    title: 'Rehearse the flows',
    blocks: 'open',
    paths: ['/flows'],
    tools: ['rehearse_flow', 'get_flow_rehearsal'],
    needs: ['flow.exists'],
    judge: judge.flowRehearsed,
  },
  {
    code: 'payment.provider',
    title: 'Be able to take money',
    blocks: 'open',
    paths: [],
    tools: ['update_client', 'config_set'],
    judge: judge.payment,
  },
  {
    code: 'email.sender',
    title: 'Be able to confirm by mail',
    blocks: 'open',
    paths: ['/emails'],
    tools: ['configure_event'],
    judge: judge.sender,
  },
  {
    code: 'directory.ready',
    title: 'Test the member directory',
    blocks: 'publish',
    paths: ['/flows'],
    tools: ['test_directory_connection'],
    judge: judge.directories,
  },
  {
    code: 'exhibitors.setup',
    title: 'Set up exhibitors',
    blocks: 'nothing',
    paths: ['/exhibitorConfig'],
    tools: ['configure_event'],
    judge: judge.exhibitors,
  },
  {
    code: 'sessions.setup',
    title: 'Set up the program',
    blocks: 'nothing',
    paths: ['/sessions'],
    tools: ['configure_event'],
    judge: judge.sessions,
  },
  { code: 'badge.designed', title: 'Design the badge', blocks: 'nothing', paths: ['/badge'], tools: ['config_set'], judge: judge.badge },
  {
    code: 'surveys.ready',
    title: 'Finish the surveys',
    blocks: 'nothing',
    paths: ['/surveys'],
    tools: ['config_set'],
    judge: judge.surveys,
  },
  {
    code: 'publish.first',
    title: 'Publish',
    blocks: 'open',
    paths: [],
    tools: ['publish_event'],
    needs: ['flow.exists', 'flow.valid'],
    judge: judge.publishedFirst,
  },
  {
    code: 'publish.current',
    title: 'Publish the latest changes',
    blocks: 'open',
    paths: [],
    tools: ['diff_versions', 'publish_event'],
    needs: ['publish.first'],
    judge: judge.publishedCurrent,
  },
  {
    code: 'open.window',
    title: 'Open registration',
    blocks: 'open',
    paths: ['/flows'],
    tools: ['config_set'],
    needs: ['flow.exists'],
    judge: judge.openWindow,
  },
  {
    code: 'testmode.off',
    title: 'Turn test mode off',
    blocks: 'open',
    paths: [],
    tools: ['update_event'],
    needs: ['publish.first'],
    judge: judge.testModeOff,
  },
]

export const TASK_SECTIONS = [...new Set(TASKS.map(({ code }) => code.split('.')[0]!))]

export interface SetupTask {
  code: string
  section: string
  title: string
  state: 'done' | 'todo' | 'blocked' | 'notNeeded'
  blocks: judge.Blocks
  why: string
  evidence?: string
  paths: string[]
  tools: string[]
  blockedBy: string[]
}

/** What is still to be done before the event can open, judged by the configuration and records as they are now. */
export async function setupTasks(
  ctx: EventContext,
  { section, onlyOpen = false }: { section?: string | undefined; onlyOpen?: boolean } = {},
) {
  if (section !== undefined && !TASK_SECTIONS.includes(section)) {
    throw invalidArguments([
      {
        path: 'section',
        message: `${JSON.stringify(section.slice(0, 40))} is not a section; they are ${TASK_SECTIONS.join(', ')}`,
        allowed: TASK_SECTIONS,
      },
    ])
  }
  const scene = await setupScene(ctx)
  const all = judged(scene)
  const count = (state: SetupTask['state']) => all.filter((task) => task.state === state).length
  const [done, todo, blocked] = [count('done'), count('todo'), count('blocked')]
  const open = (task: SetupTask) => task.state === 'todo' || task.state === 'blocked'
  return {
    tasks: all.filter((task) => (section === undefined || task.section === section) && (!onlyOpen || open(task))),
    summary: { done, todo, blocked, notNeeded: count('notNeeded'), percent: Math.round((100 * done) / Math.max(1, done + todo + blocked)) },
    readyToPublish: judge.canPublish(scene),
    readyToOpen: !all.some((task) => task.blocks !== 'nothing' && open(task)),
    open: openFlows(scene),
  }
}

/** Where people can register at this moment. */
function openFlows({ live, draft: { facts } }: SetupScene): { slug: string; closesAt: string | null }[] {
  if (!live || facts.status !== 'published') return []
  return live.config.flows.filter((flow) => !flow.retired && isFlowOpen(flow, facts.now)).map(({ slug, closesAt }) => ({ slug, closesAt }))
}

function judged(scene: SetupScene): SetupTask[] {
  const states = new Map<string, judge.Judgement['state']>()
  return TASKS.map(({ code, title, needs = [], judge: look, ...usual }) => {
    const { state, why, evidence, blocks = usual.blocks, paths = usual.paths, tools = usual.tools } = look(scene)
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
      // Of what is settled there is nothing to do next.
      paths: state === 'todo' ? [...paths] : [],
      tools: state === 'todo' ? [...tools] : [],
      blockedBy,
    }
  })
}
