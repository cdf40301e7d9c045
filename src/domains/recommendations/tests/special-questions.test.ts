import { describe, expect, it } from 'vitest'
import { isSpecial } from '../special-questions.ts'

const question = (code: string, name: string, choices: string[] = ['Yes', 'No'], sensitive = false) => ({
  code,
  name,
  sensitive,
  choices: choices.map((one) => ({ code: one.toLowerCase().replaceAll(/\W+/g, '-'), name: one, retired: false })),
})

describe('a question of a special category', () => {
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
  ])('is one by its mark, its name or its answers: $name', (field) => {
    expect(isSpecial(field)).toBe(true)
  })

  it.each([
    question('topics', 'Topics', ['Robotics', 'Diet and health', 'Vegan products', 'Accessibility']),
    question('health', 'Which areas of health care interest you?', ['Nursing', 'Surgery']),
    question('size', 'Size of your team'),
    question('access-level', 'What do you want to access?'),
    question('edited', 'Have you edited a journal?'),
  ])('is none where it is a topic or only sounds like one: $name', (field) => {
    expect(isSpecial(field)).toBe(false)
  })
})
