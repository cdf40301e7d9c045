import { describe, expect, it } from 'vitest'
import { isSpecialCategoryQuestion } from '../special-questions.ts'

const question = (code: string, name: string, choices: string[] = ['Yes', 'No'], sensitive = false) => ({
  code,
  name,
  sensitive,
  choices: choices.map((one) => ({ code: one.toLowerCase().replaceAll(/\W+/g, '-'), name: one, retired: false })),
})

describe('isSpecialCategoryQuestion', () => {
  it.each([
    question('anything', 'Anything', ['A'], true),
    question('diet', 'What do you eat?'),
    question('food', 'Lunch', ['Everything', 'Vegan']),
    question('lunch', 'Any allergies?'),
    question('access', 'Accessibility needs'),
    question('help', 'Do you come in a wheelchair?'),
    question('q7', 'Barrierefreiheit'),
    question('essen', 'Ernährung'),
    question('q8', 'Do you have a medical condition that we should know of?'),
    question('faith', 'Your faith'),
  ])('recognizes a question about sensitive data by its mark, name or answers: $name', (field) => {
    expect(isSpecialCategoryQuestion(field)).toBe(true)
  })

  it.each([
    question('topics', 'Topics', ['Robotics', 'Diet and health', 'Vegan products', 'Accessibility']),
    question('health', 'Which areas of health care interest you?', ['Nursing', 'Surgery']),
    question('size', 'Size of your team'),
    question('access-level', 'What do you want to access?'),
    question('edited', 'Have you edited a journal?'),
  ])('does not treat a question about a topic or a similar word as sensitive: $name', (field) => {
    expect(isSpecialCategoryQuestion(field)).toBe(false)
  })
})
