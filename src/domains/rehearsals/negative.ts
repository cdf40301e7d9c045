import { AppError } from '../../kernel/errors.ts'
import { patternOf } from '../../kernel/patterns.ts'
import { giveWay } from '../../kernel/turns.ts'
import { productBinding } from '../configuration/flow/collects.ts'
import { widgetPath } from '../configuration/flow/goals.ts'
import type { Person } from '../configuration/flow/solver.ts'
import { rulesOf } from '../configuration/flow/values.ts'
import type { WidgetOf } from '../configuration/schema/widgets.ts'
import { readAnswers } from '../registration/answers.ts'
import { keepAsTest } from '../registration/remove-test-people.ts'
import type { AtEvent } from '../registration/scene.ts'
import { submit } from '../registration/submit.ts'
import { directoryTagsOf, isOutcome, type Visit, visitPages } from './pages.ts'
import type { Report } from './report-shape.ts'
import type { Rehearsing } from './try-person.ts'

/** One answer that must not be accepted. */
interface Mistake {
  path: string
  fault: string
  binding: string
  value: unknown
}

/** Gives wrong answers, one at a time and on otherwise right ones: each has to be refused. */
export async function tryMistakes(ctx: AtEvent, rehearsing: Rehearsing, people: readonly Person[]): Promise<Report['negative']> {
  const { scene, connections, flow } = rehearsing
  const tried = new Set<string>()
  const wronglyAccepted: { path: string; fault: string }[] = []
  for (const person of people.filter(({ outcome }) => outcome === 'completed')) {
    const visit = visitPages(scene, connections, { flow, tags: person.tags, answers: person.answers })
    if (visit.fault) continue
    for (const mistake of mistakesOf(rehearsing, visit)) {
      const key = `${mistake.path} ${mistake.fault} ${mistake.binding}`
      if (tried.has(key)) continue
      tried.add(key)
      if (!(await isRefused(ctx, rehearsing, person, visit, mistake))) wronglyAccepted.push({ path: mistake.path, fault: mistake.fault })
      await giveWay()
    }
  }
  return { tried: tried.size, refused: tried.size - wronglyAccepted.length, wronglyAccepted }
}

async function isRefused(
  ctx: AtEvent,
  rehearsing: Rehearsing,
  person: Person,
  visit: Visit,
  { binding, value }: Mistake,
): Promise<boolean> {
  const { scene, flow, connections, runId } = rehearsing
  const wrong = { ...visit.answers, [binding]: value }
  const typed = Object.fromEntries(Object.entries(wrong).filter(([name]) => !isOutcome(name)))
  if (readAnswers({ config: scene.config, flow }, typed).errors.some(({ path }) => path === binding)) return true
  const directoryTags = directoryTagsOf({ ...person, flow }, visit, connections)
  try {
    const { participant } = await submit(ctx, {
      scene,
      flow,
      answers: wrong,
      manualTags: person.tags,
      directoryTags,
      source: 'rehearsal',
      participant: null,
    })
    await keepAsTest(ctx, runId, [participant.id])
    return false
  } catch (error) {
    if (error instanceof AppError) return true
    throw error
  }
}

function mistakesOf({ scene, flow }: Rehearsing, { walk }: Visit): Mistake[] {
  const widgets = new Map(flow.pages.flatMap((page) => page.widgets).map((widget) => [widget.id, widget]))
  const products = new Map(scene.config.products.map((product) => [product.code, product]))
  return walk.pages.flatMap((page) =>
    page.widgets
      .filter(({ visible }) => visible)
      .flatMap(({ id, required, products: offers }): Mistake[] => {
        const path = widgetPath(flow, page.code, id)
        const widget = widgets.get(id)!
        const empty = required
          .filter((binding) => !isOutcome(binding))
          .map((binding) => ({ path, fault: widget.type === 'policy' ? 'policy unticked' : 'required empty', binding, value: null }))
        const many = offers.flatMap(({ code, row }) =>
          row === null
            ? []
            : [{ path, fault: 'quantity over perPerson', binding: productBinding(code), value: products.get(code)!.perPerson + 1 }],
        )
        const hidden =
          widget.type === 'products'
            ? hiddenProducts(scene.config.products, walk).map((code) => ({
                path,
                fault: 'hidden product',
                binding: productBinding(code),
                value: 1,
              }))
            : []
        return [
          ...empty,
          ...many,
          ...hidden,
          ...(widget.type === 'field' ? wrongValues(scene.config, widget).map((one) => ({ path, ...one })) : []),
        ]
      }),
  )
}

type Visited = Visit['walk']

/** Not sold anywhere in the flow: what a flow sells to others is left out of an order by the walk, and never gets that far. */
function hiddenProducts(products: readonly { code: string; category: string }[], { pages }: Visited): string[] {
  const asked = new Set(pages.flatMap(({ widgets }) => widgets.flatMap(({ bindings }) => bindings)))
  return products
    .filter(({ code, category }) => category !== 'donation' && !asked.has(productBinding(code)))
    .slice(0, 1)
    .map(({ code }) => code)
}

const UNLIKELY = ['~', '~~~~', '0', 'zzzzzzzz', '12345678901', '!?', 'Ä Ö']

function wrongValues(config: Rehearsing['scene']['config'], widget: WidgetOf<'field'>): Omit<Mistake, 'path'>[] {
  const { binding } = widget
  const rules = rulesOf(config, binding)
  if (!rules) return []
  const wrong: Omit<Mistake, 'path'>[] = []
  const add = (fault: string, value: unknown) => void wrong.push({ fault, binding, value })
  const limits = [rules, widget]
  const isText = rules.type === 'text' || rules.type === 'longText'
  for (const { min, max } of limits) {
    if (rules.type === 'number' && typeof min === 'number') add('min-1', min - 1)
    if (rules.type === 'number' && typeof max === 'number') add('max+1', max + 1)
    if (isText && typeof max === 'number') add('too long', 'x'.repeat(max + 1))
  }
  if (isText && rules.maxLength !== null) add('too long', 'x'.repeat(rules.maxLength + 1))
  for (const { pattern } of limits) {
    const breaking = pattern === null ? undefined : UNLIKELY.find((text) => patternOf(pattern)?.matches(text) === false)
    if (breaking !== undefined) add('pattern broken', breaking)
  }
  if (rules.type === 'choice' || rules.type === 'multiChoice') {
    const asAnswer = (code: string) => (rules.type === 'choice' ? code : [code])
    add('unknown choice', asAnswer('no-such-choice'))
    const retired = rules.choices.find((choice) => choice.retired)
    if (retired) add('retired choice', asAnswer(retired.code))
  }
  return wrong
}
