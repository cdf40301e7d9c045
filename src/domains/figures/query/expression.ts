import { createInvalidArgumentError } from './names.ts'

/** A parsed arithmetic expression over names of aggregates and metrics. It is never evaluated as code. */
export type Expression =
  | { kind: 'number'; value: number }
  | { kind: 'name'; name: string }
  | { kind: 'negated'; of: Expression }
  | { kind: 'operation'; operator: '+' | '-' | '*' | '/'; left: Expression; right: Expression }

const TOKEN = /\s*(?:(\d{1,15}(?:\.\d{1,9})?)|([A-Za-z][A-Za-z0-9_]*(?:\.[A-Za-z0-9_-]+)*)|([-+*/()]))/y
const MAX_LENGTH = 400
const MAX_DEPTH = 20

function tokenize(text: string, at: string): string[] {
  if (text.length > MAX_LENGTH) throw createInvalidArgumentError(at, `an expression has at most ${MAX_LENGTH} characters`)
  const tokens: string[] = []
  TOKEN.lastIndex = 0
  while (TOKEN.lastIndex < text.trimEnd().length) {
    const from = TOKEN.lastIndex
    const match = TOKEN.exec(text)
    if (!match)
      throw createInvalidArgumentError(at, `cannot read "${text.slice(from, from + 20)}": use names, numbers, + - * / and parentheses`)
    tokens.push(match[1] ?? match[2] ?? match[3]!)
  }
  return tokens
}

/** Parses an expression such as `100 * sold / capacity`. */
export function parseExpression(text: string, at: string): Expression {
  const tokens = tokenize(text, at)
  let position = 0
  const take = () => tokens[position++]
  const requireDepth = (depth: number) => {
    if (depth > MAX_DEPTH) throw createInvalidArgumentError(at, `parentheses nest at most ${MAX_DEPTH} deep`)
  }
  const parseSum = (depth: number): Expression => {
    requireDepth(depth)
    let left = parseProduct(depth)
    while (tokens[position] === '+' || tokens[position] === '-') {
      const operator = take() as '+' | '-'
      left = { kind: 'operation', operator, left, right: parseProduct(depth) }
    }
    return left
  }
  const parseProduct = (depth: number): Expression => {
    let left = parseValue(depth)
    while (tokens[position] === '*' || tokens[position] === '/') {
      const operator = take() as '*' | '/'
      left = { kind: 'operation', operator, left, right: parseValue(depth) }
    }
    return left
  }
  const parseValue = (depth: number): Expression => {
    requireDepth(depth)
    const token = take()
    if (token === undefined) throw createInvalidArgumentError(at, 'the expression ends too early')
    if (token === '-') return { kind: 'negated', of: parseValue(depth + 1) }
    if (token === '(') {
      const inner = parseSum(depth + 1)
      if (take() !== ')') throw createInvalidArgumentError(at, 'a parenthesis is not closed')
      return inner
    }
    if (/^\d/.test(token)) return { kind: 'number', value: Number(token) }
    if (/^[A-Za-z]/.test(token)) return { kind: 'name', name: token }
    throw createInvalidArgumentError(at, `"${token}" is not expected here`)
  }
  const expression = parseSum(1)
  if (position < tokens.length) throw createInvalidArgumentError(at, `"${tokens[position]}" is not expected here`)
  return expression
}

export function listExpressionNames(expression: Expression): string[] {
  if (expression.kind === 'name') return [expression.name]
  if (expression.kind === 'negated') return listExpressionNames(expression.of)
  return expression.kind === 'operation' ? [...listExpressionNames(expression.left), ...listExpressionNames(expression.right)] : []
}

function calculate(operator: '+' | '-' | '*' | '/', left: number, right: number): number {
  if (operator === '+') return left + right
  if (operator === '-') return left - right
  return operator === '*' ? left * right : left / right
}

/** Evaluates an expression. Null if a part is null, a divisor is 0 or the result is not a finite number. */
export function evaluateExpression(expression: Expression, valueOf: (name: string) => number | null): number | null {
  if (expression.kind === 'number') return expression.value
  if (expression.kind === 'name') return valueOf(expression.name)
  if (expression.kind === 'negated') {
    const value = evaluateExpression(expression.of, valueOf)
    return value === null ? null : 0 - value
  }
  const left = evaluateExpression(expression.left, valueOf)
  const right = evaluateExpression(expression.right, valueOf)
  if (left === null || right === null) return null
  const value = calculate(expression.operator, left, right)
  return Number.isFinite(value) ? value : null
}
