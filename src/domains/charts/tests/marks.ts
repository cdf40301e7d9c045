import { XMLParser } from 'fast-xml-parser'

/** Lists the text alternatives of all marks of an SVG, in drawing order. */
export function listMarkLabels(svg: string): string[] {
  const labels: string[] = []
  const visit = (node: unknown): void => {
    if (Array.isArray(node)) for (const child of node) visit(child)
    else if (typeof node === 'object' && node !== null)
      for (const [name, value] of Object.entries(node)) {
        if (name === '@_aria-label' && (node as Record<string, unknown>)['@_role'] === 'graphics-symbol') labels.push(String(value))
        else visit(value)
      }
  }
  visit(new XMLParser({ ignoreAttributes: false, parseAttributeValue: false }).parse(svg))
  return labels
}
