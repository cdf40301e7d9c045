import { reviewFlows } from '../../../../../test/support/at-once.ts'
import type { Finding, Scene } from '../scene.ts'
import { after, cleanDocument, pageIn, sceneOf } from './scenes.ts'

type Document = any

const findingsIn = (scene: Scene): Finding[] => reviewFlows(scene).flatMap(({ findings }) => findings)

/** What the review says of a flow without faults after an edit. */
export function reviewed(edit: (document: Document) => void, more: Parameters<typeof sceneOf>[1] = {}) {
  const document = cleanDocument()
  edit(document)
  const scene = sceneOf(document, more)
  const findings = findingsIn(scene)
  const operations = findings.flatMap(({ suggestion }) => suggestion?.operations ?? [])
  return {
    findings,
    codes: findings.map(({ code }) => code),
    messages: findings.map(({ message }) => message).join('\n'),
    operations,
    left: () => findingsIn(after(scene, operations)).map(({ code }) => code),
  }
}

export const leaf = (binding: string, op: string, value?: unknown) => ({ binding, op, ...(value === undefined ? {} : { value }) })
export const field = (id: string, binding: string, more: object = {}) => ({ id, type: 'field', binding, ...more })
export const addTo = (document: Document, page: string, ...widgets: Document[]) => void pageIn(document, page).widgets.push(...widgets)
