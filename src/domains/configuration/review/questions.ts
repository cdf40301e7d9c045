import { dataFieldsOf } from '../data-fields.ts'
import { indexOf, productsOf } from '../flow/collects.ts'
import { rulesOf } from '../flow/values.ts'
import type { Operation } from '../operations.ts'
import { targetOfBinding } from '../references.ts'
import type { WidgetOf } from '../schema/widgets.ts'
import { beforeQuestions, firstOpenPage, insertWidget, removal, remove, set } from './repairs.ts'
import {
  answerName,
  capital,
  error,
  type Finding,
  filledIn,
  hasRule,
  info,
  listed,
  type Look,
  pageName,
  perScene,
  type Place,
  placeName,
  someOf,
  warning,
} from './scene.ts'
import type { Someone } from './someone.ts'

/** F01, F09 to F12 and F17: what is asked, and how. */
export const reviewQuestions = (look: Look, someone: Someone): Finding[] => [
  ...missingPerson(look),
  ...askedTwice(look, someone),
  ...look.places.flatMap((place) => [
    ...lockedWithoutValue(look, place),
    ...narrowedToNothing(look, place),
    ...unexplained(look, place),
    ...goneChoices(look, place),
  ]),
]

const PERSON = ['@participant.firstName', '@participant.lastName', '@participant.email'] as const

function missingPerson(look: Look): Finding[] {
  const asked = new Set(look.places.flatMap(({ collected }) => collected.map(({ binding }) => binding)))
  const missing = PERSON.filter((binding) => !asked.has(binding))
  if (missing.length === 0) return []
  const names = listed(missing.map((binding) => answerName(look.scene, binding).replaceAll('"', '').toLowerCase()))
  return [
    error(
      'F01',
      `${look.path}/pages`,
      `The flow "${look.flow.name}" never asks for the ${names}; nobody can be registered without.`,
      askThem(look, missing),
    ),
  ]
}

function askThem(look: Look, missing: readonly string[]): Operation[] | null {
  const page = firstOpenPage(look)
  if (!page) return null
  const position = beforeQuestions(page)
  const wholeName = missing.includes('@participant.firstName') && missing.includes('@participant.lastName')
  const single = missing.filter((binding) => !wholeName || binding === '@participant.email')
  const operations = [
    ...(wholeName ? [insertWidget(look, page, { type: 'name' }, 'name', position)] : []),
    ...single.map((binding) => insertWidget(look, page, { type: 'field', binding, required: true }, idOf(binding), position)),
  ]
  return operations.includes(null) ? null : (operations as Operation[])
}

const idOf = (binding: string) => binding.slice(binding.lastIndexOf('.') + 1).replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)

/** Sessions and guests may well be chosen at several places, by day or track. */
const SEVERAL_TIMES = ['@session.', '@guest.']

function askedTwice(look: Look, someone: Someone): Finding[] {
  const asking = look.places.filter(({ widget }) => !(widget.type === 'field' && widget.readOnly))
  const earlier = new Map<string, Place[]>()
  return asking.flatMap((place) => {
    const twice = new Map<Place, string[]>()
    for (const { binding } of place.collected) {
      const others = earlier.get(binding) ?? []
      earlier.set(binding, [...others, place])
      if (SEVERAL_TIMES.includes(binding)) continue
      const other = others.find((one) => seenTogether(look, someone, one, place))
      if (other) twice.set(other, [...(twice.get(other) ?? []), binding])
    }
    return [...twice].slice(0, 1).map(([other, bindings]) => {
      const names = someOf(bindings.map((binding) => answerName(look.scene, binding)))
      const message = `${capital(placeName(look, place))} asks again for ${names}, which ${placeName(look, other)} has asked already.`
      return warning('F09', place.path, message, withoutRepeat(look, other, place))
    })
  })
}

function seenTogether({ pages }: Look, someone: Someone, first: Place, second: Place): boolean {
  const free = [first, second].every(({ widget, pageIndex }) => !hasRule(widget) && !hasRule(pages[pageIndex]!.page))
  return free || someone.sees([first, 'shown'], [second, 'shown']) === true
}

/**
 * The second question goes when everybody who would see it has seen the first. Where it must be answered by some alone, no edit is right
 * for all: without it they could leave the answer out, and a first one that must be answered asks too much of everybody else.
 */
function withoutRepeat(look: Look, first: Place, second: Place): Operation[] | null {
  if (first.widget.type !== 'field' || second.widget.type !== 'field') return null
  const always = !hasRule(first.widget) && (!hasRule(first.page) || first.page === second.page)
  const stricter = second.widget.required && !first.widget.required
  if (!always || (stricter && isForSome(first, second))) return null
  const taken = removal(look, second)
  return taken && stricter ? [set(`${first.path}/required`, true), ...taken] : taken
}

/** Whether there are people who see the first and not the second. */
const isForSome = (first: Place, second: Place) => hasRule(second.widget) || (second.page !== first.page && hasRule(second.page))

function lockedWithoutValue(look: Look, { widget, path, order, page }: Place): Finding[] {
  if (widget.type !== 'field' || !widget.required || !widget.readOnly || widget.default !== null) return []
  const { binding } = widget
  const before = look.places.some((other) => other.order < order && other.collected.some((one) => one.binding === binding))
  if (before || filledIn(look.scene, look.flow).has(binding)) return []
  const message = `${capital(placeName(look, { widget, page }))} must be answered but cannot be edited, and nothing fills it in.`
  return [warning('F10', path, message, [set(`${path}/required`, false)])]
}

function narrowedToNothing(look: Look, place: Place): Finding[] {
  const { widget, path } = place
  if (widget.type === 'products') return tooManyWanted(look, place, widget)
  if (widget.type !== 'field') return []
  const rules = rulesOf(look.config, widget.binding)
  if (!rules) return []
  const says = (what: string, keys: readonly ('min' | 'max' | 'choices')[], more: readonly Operation[] = []) =>
    warning('F11', path, `Nobody can answer ${placeName(look, place)}: ${what}.`, [
      ...keys.filter((key) => widget[key] !== null).map((key) => remove(`${path}/${key}`)),
      ...more,
    ])
  const live = rules.choices.filter(({ retired }) => !retired).map(({ code }) => code)
  const offered = widget.choices === null ? live : live.filter((code) => widget.choices!.includes(code))
  if (widget.choices !== null && offered.length === 0) return [says('none of its choices is left', ['choices'])]
  if (widget.choices !== null && (rules.minChoices ?? 0) > offered.length) {
    return [says(`at least ${rules.minChoices} choices are wanted and ${offered.length} offered`, ['choices'])]
  }
  const [least, most] = [largest([rules.min, widget.min]), smallest([rules.max, widget.max, rules.maxLength])]
  if (least === null || most === null || least <= most) return []
  const what = `at least ${least} and at most ${most} is wanted`
  // The field's own limits are in order, so it is the widget's that go, unless the field wants more than a text of its type can have.
  const tooLong = rules.maxLength !== null && typeof rules.min === 'number' && rules.min > rules.maxLength
  return [says(what, ['min', 'max'], tooLong ? [remove(`${targetOfBinding(widget.binding)}/min`)] : [])]
}

type Bound = number | string | null
const given = (bounds: readonly Bound[]) => bounds.filter((bound) => bound !== null)
const largest = (bounds: readonly Bound[]): Bound =>
  given(bounds).reduce<Bound>((best, one) => (best === null || one > best ? one : best), null)
const smallest = (bounds: readonly Bound[]): Bound =>
  given(bounds).reduce<Bound>((best, one) => (best === null || one < best ? one : best), null)

function tooManyWanted(look: Look, place: Place, widget: WidgetOf<'products'>): Finding[] {
  const each = productsOf(look.config, widget).map(({ perPerson }) => perPerson)
  const most = widget.selection === 'single' ? Math.max(0, ...each) : each.reduce((sum, one) => sum + one, 0)
  if (each.length === 0 || widget.min <= most) return []
  const message = `${capital(placeName(look, place))} wants at least ${widget.min} to be chosen, and at most ${most} can be.`
  return [warning('F11', place.path, message, [set(`${place.path}/min`, most)])]
}

const sensitiveFields = perScene(
  ({ config }) =>
    new Set(
      dataFieldsOf(config)
        .filter(({ sensitive }) => sensitive)
        .map(({ binding }) => binding),
    ),
)

function unexplained(look: Look, place: Place): Finding[] {
  const { widget, collected, path } = place
  if (widget.type === 'field' && widget.help !== null) return []
  const asks = widget.type === 'field' || widget.type === 'companyProfile' || widget.type === 'submission'
  const { fields } = indexOf(look.config)
  const silent = asks
    ? collected
        .map(({ binding }) => binding)
        .filter(
          (binding) => sensitiveFields(look.scene).has(binding) && (fields.get(binding.slice('@custom.'.length))?.help ?? null) === null,
        )
    : []
  if (silent.length === 0) return []
  const names = listed(silent.map((binding) => answerName(look.scene, binding)))
  return [info('F12', path, `${names} on ${pageName(place.page)} is a sensitive question; a help text should say why it is asked.`)]
}

function goneChoices(look: Look, place: Place): Finding[] {
  const { widget, path } = place
  if (widget.type !== 'field' || widget.choices === null) return []
  const rules = rulesOf(look.config, widget.binding)
  const live = new Set(rules?.choices.filter(({ retired }) => !retired).map(({ code }) => code))
  const gone = widget.choices.filter((code) => !live.has(code))
  const kept = widget.choices.filter((code) => live.has(code))
  // With none left it is nobody's to answer, which is said already.
  if (gone.length === 0 || kept.length === 0) return []
  const message = `${capital(placeName(look, place))} offers ${someOf(gone)}, which ${gone.length === 1 ? 'is' : 'are'} retired or no longer a choice.`
  return [warning('F17', path, message, [set(`${path}/choices`, kept)])]
}
