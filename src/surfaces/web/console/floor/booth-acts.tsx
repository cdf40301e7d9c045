import { endOfDay, formatInstant, isCalendarDay } from '../../../../kernel/time.ts'
import { acceptOffer } from '../../../../domains/exhibitors/applications/accept.ts'
import { withdrawBoothOffer } from '../../../../domains/exhibitors/applications/offers.ts'
import * as booths from '../../../../domains/exhibitors/booths/manage.ts'
import type { EventContext } from '../../../../kernel/context.ts'
import { newId } from '../../../../kernel/ids.ts'
import type { Money } from '../../../../kernel/money.ts'
import manageBoothApplication from '../../../../toolsets/exhibitors/manage-booth-application.ts'
import manageBooths from '../../../../toolsets/exhibitors/manage-booths.ts'
import { renderChangePreviewPage } from '../../components/preview-then-confirm.tsx'
import { type FormErrors, catchFormErrors } from '../../fields.ts'
import { getCsrfToken, type FormValues, type WebContext, type WebServices } from '../../web.ts'
import { CONFIRM_PAGE_BUTTON, isConfirmed } from '../confirm-page.tsx'
import { previewEventChange } from '../event/event-page.ts'
import { sendConsolePage } from '../frame.tsx'
import { getNavigationPosition } from '../navigation.ts'
import { formatAmountWithCurrency, isZeroMoney } from '../money/amounts.ts'
import { callEventTool, type ToolArguments } from '../tool-call.ts'
import type { BoothPanelData } from './booth-panel.tsx'
import type { PlanPageContext } from './plan-page.ts'

export const BOOTH_ACTIONS = ['assign', 'hold', 'release', 'vacate', 'block', 'unblock', 'accept', 'withdraw_offer'] as const
export type BoothAction = (typeof BOOTH_ACTIONS)[number]

const FIELDS = ['act', 'company', 'holdFor', 'until', 'reason']

/** The confirmation question of each booth action, and the verb on its button. */
const QUESTIONS: Record<BoothAction, { ask: (number: string, company: string) => string; effect: string; button: string }> = {
  assign: {
    ask: (n, company) => `Assign booth ${n} to ${company}?`,
    effect: 'The company has the booth from now on.',
    button: 'Assign booth',
  },
  hold: {
    ask: (n, company) => `Hold booth ${n} for ${company}?`,
    effect: 'No other company can get the booth until then.',
    button: 'Hold booth',
  },
  release: { ask: (n) => `Release the hold on booth ${n}?`, effect: 'The booth is available again.', button: 'Release hold' },
  vacate: {
    ask: (n, company) => `Take booth ${n} back from ${company}?`,
    effect: 'The booth is available again, and the company is credited.',
    button: 'Take booth back',
  },
  block: { ask: (n) => `Block booth ${n}?`, effect: 'The booth is not for sale until you unblock it.', button: 'Block booth' },
  unblock: { ask: (n) => `Unblock booth ${n}?`, effect: 'The booth is for sale again.', button: 'Unblock booth' },
  accept: {
    ask: (n, company) => `Accept the offer of booth ${n} for ${company}?`,
    effect: 'The company has the booth from now on and owes the offered amount, as if it had accepted the offer itself.',
    button: 'Accept offer',
  },
  withdraw_offer: {
    ask: (n, company) => `Withdraw the offer of booth ${n} to ${company}?`,
    effect: 'The booth is available again, and the application waits for another offer.',
    button: 'Withdraw offer',
  },
}

interface BoothResult {
  orderChange?: { lines: { description: string; quantity: number }[]; net: Money; tax: Money; total: Money }
  warnings?: { message?: string }[] | string[]
}

/** Converts the form of a booth action to the arguments of its tool. */
function readArguments(
  at: PlanPageContext,
  act: BoothAction,
  facts: BoothPanelData,
  form: FormValues,
): { args: ToolArguments } | FormErrors {
  const { number } = facts.booth
  const missing = (path: string, message: string): FormErrors => ({ errors: [{ path, message }] })
  const [company, reason, until] = [form[act === 'hold' ? 'holdFor' : 'company'] ?? '', (form['reason'] ?? '').trim(), form['until'] ?? '']
  if (act === 'accept' || act === 'withdraw_offer') {
    if (!facts.offer) return { message: `Booth ${number} has no open offer.` }
    return { args: { action: act, number: facts.offer.application } }
  }
  if ((act === 'assign' || act === 'hold') && company === '') return missing(act === 'hold' ? 'holdFor' : 'company', 'Choose a company.')
  if (act === 'hold') {
    if (!isCalendarDay(until)) return missing('until', 'Enter the last day of the hold.')
    return { args: { action: act, number, companyId: company, until: formatInstant(endOfDay(at.event.timezone, until)) } }
  }
  if (act === 'assign') return { args: { action: act, number, companyId: company } }
  if (act === 'release') return { args: { action: act, number } }
  return reason === '' ? missing('reason', 'Enter a reason.') : { args: { action: act, number, reason } }
}

const LABELS: Record<string, string> = { companyId: 'Company', until: 'Until the end of', reason: 'Reason' }
const labelOf = (path: string) => LABELS[path] ?? ''

/** Describes the effects of a booth action on the company's order. */
function describeEffects(act: BoothAction, { orderChange, warnings = [] }: BoothResult): string {
  const money = orderChange && !isZeroMoney(orderChange.total)
  const texts = warnings.map((warning) => (typeof warning === 'string' ? warning : (warning.message ?? '')))
  return [
    QUESTIONS[act].effect,
    money
      ? `The company's order changes by ${formatAmountWithCurrency(orderChange.total)} (${formatAmountWithCurrency(orderChange.net)} and ${formatAmountWithCurrency(orderChange.tax)} tax).`
      : '',
    ...texts.map((text) => (text === '' || text.endsWith('.') ? text : `${text}.`)),
  ]
    .filter((text) => text !== '')
    .join(' ')
}

/** Returns the company that a booth action is about. */
const companyOf = (facts: BoothPanelData, args: ToolArguments): string =>
  facts.companies.find(({ value }) => value === args['companyId'])?.label ?? facts.booth.company?.name ?? 'the company'

/**
 * Functions that run a booth action inside the transaction of its preview. To save the action, the page calls the organizer's tool instead.
 */
const RUNS: Record<BoothAction, (ctx: EventContext, args: never) => Promise<BoothResult>> = {
  assign: booths.assignBoothToCompany,
  hold: booths.holdBoothForCompany,
  release: booths.releaseBoothHold,
  vacate: booths.vacateAssignedBooth,
  block: booths.blockBoothByNumber,
  unblock: booths.unblockBoothByNumber,
  accept: async (ctx, { number }: { number: string }) => {
    await acceptOffer(ctx, number)
    return {}
  },
  withdraw_offer: async (ctx, { number }: { number: string }) => {
    await withdrawBoothOffer(ctx, number, undefined)
    return {}
  },
}

/**
 * Handles the form of a booth action: shows the effects of the action, then saves it. Returns the errors of the form, which the page of the
 * floor plan shows.
 */
export async function submitBoothAction(
  web: WebServices,
  c: WebContext,
  at: PlanPageContext,
  { facts, form }: { facts: BoothPanelData; form: FormValues },
): Promise<Response | FormErrors> {
  const act = BOOTH_ACTIONS.find((one) => one === form['act'])
  if (!act) return { message: 'Choose what to do with the booth.' }
  const back = `${at.here}?booth=${encodeURIComponent(facts.booth.number)}`
  const read = readArguments(at, act, facts, form)
  if (!('args' in read)) return read
  const { args } = read
  if (isConfirmed(form)) {
    const tool = act === 'accept' || act === 'withdraw_offer' ? manageBoothApplication : manageBooths
    const failed = await catchFormErrors(() => callEventTool(web, at, tool, { ...args, idempotencyKey: form['key'] }), labelOf)
    return failed ?? c.redirect(`${back}&done=saved`, 303)
  }
  let result: BoothResult = {}
  const failed = await catchFormErrors(async () => {
    result = await previewEventChange(web, at, 'manage_booths', (ctx) => RUNS[act](ctx, args as never))
  }, labelOf)
  return failed ?? sendPreview(web, c, at, { act, args, facts, form, result, back })
}

interface Preview {
  act: BoothAction
  args: ToolArguments
  facts: BoothPanelData
  form: FormValues
  result: BoothResult
  back: string
}

function sendPreview(web: WebServices, c: WebContext, at: PlanPageContext, { act, args, facts, form, result, back }: Preview) {
  const { ask, button } = QUESTIONS[act]
  const sent = Object.fromEntries(FIELDS.flatMap((name) => (form[name] === undefined ? [] : [[name, form[name]]])))
  const page = renderChangePreviewPage({
    title: ask(facts.booth.number, companyOf(facts, args)),
    crumbs: [{ href: back, label: `Booth ${facts.booth.number}` }],
    action: c.req.path,
    csrf: getCsrfToken(web, c),
    hidden: { ...sent, key: newId() },
    effects: describeEffects(act, result),
    submit: button,
    submitAs: CONFIRM_PAGE_BUTTON,
    tone: act === 'vacate' || act === 'withdraw_offer' ? 'danger primary' : 'primary',
    back: { href: back, label: 'Cancel' },
  })
  return sendConsolePage(web, c, getNavigationPosition(at, 'floor-plans'), page)
}
