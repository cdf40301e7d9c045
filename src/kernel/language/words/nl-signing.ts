export const signing = {}
