import type { EventContext } from '../../../kernel/context.ts'
import { invalidArguments } from '../../../kernel/errors.ts'
import * as judge from './judgements.ts'
import { type SetupScene, setupScene } from './scene.ts'

interface Definition {
  code: string
  title: string
  paths: readonly string[]
  tools: readonly string[]
  /** Tasks that must be done before this one can be. */
  needs?: readonly string[]
  judge: (scene: SetupScene) => judge.Judgement
}

/** In the order in which they are best done. Nothing is ticked: each is looked at anew. */
const TASKS: readonly Definition[] = [
  { code: 'basics.details', title: 'Say what the event is', paths: ['/details'], tools: ['config_set'], judge: judge.details },
  { code: 'basics.locales', title: 'Translate the texts', paths: ['/translations'], tools: ['config_set'], judge: judge.locales },
  { code: 'basics.staff', title: 'Have a second person', paths: [], tools: ['assign_event_staff'], judge: judge.staff },
  { code: 'design.theme', title: 'Set logo and colours', paths: ['/theme'], tools: ['config_set'], judge: judge.theme },
  {
    code: 'catalog.products',
    title: 'Price the admission',
    paths: ['/products'],
    tools: ['configure_event', 'config_set'],
    judge: judge.products,
  },
  { code: 'catalog.taxes', title: 'Decide the taxes', paths: ['/taxes', '/products'], tools: ['configure_event'], judge: judge.taxes },
  { code: 'catalog.policies', title: 'Write the policies', paths: ['/policies'], tools: ['configure_event'], judge: judge.policies },
  {
    code: 'flow.exists',
    title: 'Make a registration flow',
    paths: ['/flows'],
    tools: ['configure_event', 'copy_event_config'],
    judge: judge.flowExists,
  },
  {
    code: 'flow.valid',
    title: 'Mend what is broken',
    paths: ['/flows'],
    tools: ['validate_schema', 'config_set'],
    needs: ['flow.exists'],
    judge: judge.flowValid,
  },
  {
    code: 'flow.reviewed',
    title: 'Review the flows',
    paths: ['/flows'],
    tools: ['review_flow', 'config_set'],
    needs: ['flow.exists'],
    judge: judge.flowReviewed,
  },
  {
    code: 'flow.rehearsed',
    title: 'Rehearse the flows',
    paths: ['/flows'],
    tools: [],
    needs: ['flow.exists', 'flow.valid'],
    judge: judge.flowRehearsed,
  },
  { code: 'payment.provider', title: 'Be able to take money', paths: [], tools: ['update_client'], judge: judge.payment },
  { code: 'email.sender', title: 'Be able to confirm by mail', paths: ['/emails'], tools: ['configure_event'], judge: judge.sender },
  {
    code: 'directory.ready',
    title: 'Test the member directory',
    paths: ['/flows'],
    tools: ['test_directory_connection'],
    judge: judge.directories,
  },
  { code: 'housing.hotels', title: 'Add hotels', paths: ['/housing'], tools: [], judge: judge.hotels },
  {
    code: 'exhibitors.setup',
    title: 'Set up exhibitors',
    paths: ['/exhibitorConfig'],
    tools: ['configure_event'],
    judge: judge.exhibitors,
  },
  { code: 'sessions.setup', title: 'Set up the program', paths: ['/sessions'], tools: ['configure_event'], judge: judge.sessions },
  { code: 'badge.designed', title: 'Design the badge', paths: ['/badge'], tools: ['config_set'], judge: judge.badge },
  { code: 'onsite.devices', title: 'Register scanning devices', paths: ['/onsite'], tools: [], judge: judge.devices },
  { code: 'surveys.ready', title: 'Finish the surveys', paths: ['/surveys'], tools: ['config_set'], judge: judge.surveys },
  {
    code: 'publish.first',
    title: 'Publish',
    paths: [],
    tools: ['publish_event'],
    needs: ['flow.exists', 'flow.valid'],
    judge: judge.publishedFirst,
  },
  {
    code: 'publish.current',
    title: 'Publish the latest changes',
    paths: [],
    tools: ['diff_versions', 'publish_event'],
    needs: ['publish.first'],
    judge: judge.publishedCurrent,
  },
  {
    code: 'open.window',
    title: 'Open registration',
    paths: ['/flows'],
    tools: ['config_set'],
    needs: ['flow.exists'],
    judge: judge.openWindow,
  },
  {
    code: 'testmode.off',
    title: 'Turn test mode off',
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
  why: string
  evidence?: string
  paths: string[]
  tools: string[]
  blockedBy: string[]
}

/** Sections that must be done before anybody may register. */
const OPENING = ['flow', 'catalog', 'payment', 'email', 'publish', 'testmode']

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
    readyToOpen: !all.some((task) => OPENING.includes(task.section) && open(task)),
  }
}

function judged(scene: SetupScene): SetupTask[] {
  const states = new Map<string, judge.Judgement['state']>()
  return TASKS.map(({ code, title, paths, tools, needs = [], judge: look }) => {
    const { state, why, evidence } = look(scene)
    states.set(code, state)
    const blockedBy = state === 'todo' ? needs.filter((need) => states.get(need) === 'todo') : []
    return {
      code,
      section: code.split('.')[0]!,
      title,
      state: blockedBy.length > 0 ? 'blocked' : state,
      why: blockedBy.length > 0 ? `first: ${blockedBy.join(', ')}` : why,
      ...(evidence ? { evidence } : {}),
      paths: [...paths],
      tools: [...tools],
      blockedBy,
    }
  })
}
