import { isJson, type Json, jsonOf } from './call.ts'

const anthropicRefuses =
  '$schema minLength maxLength minimum maximum exclusiveMinimum exclusiveMaximum multipleOf maxItems uniqueItems patternProperties propertyNames if not'.split(
    ' ',
  )
const openaiRefuses = 'allOf not if then else uniqueItems patternProperties propertyNames oneOf'.split(' ')

/**
 * Anthropic's error for a JSON Schema that structured output does not support.
 * https://platform.claude.com/docs/en/build-with-claude/structured-outputs
 */
export function anthropicSchemaFault(schema: unknown): string | undefined {
  if (!isJson(schema)) return 'a schema has to be an object'
  for (const { node, recursive } of nodesOf(schema)) {
    if (recursive) return 'Recursive definitions are not supported'
    const refused = anthropicRefuses.find((keyword) => keyword in node)
    if (refused !== undefined)
      return `For '${String(node.type)}' type, property '${refused}' is not supported`
    if (typeof node.minItems === 'number' && node.minItems > 1)
      return "For 'array' type, 'minItems' values other than 0 or 1 are not supported"
    if (isObject(node) && node.additionalProperties !== false)
      return "For 'object' type, 'additionalProperties' must be explicitly set to false"
  }
  return undefined
}

/**
 * OpenAI's error for a JSON Schema that strict structured output does not support.
 * https://platform.openai.com/docs/guides/structured-outputs
 */
export function openaiSchemaFault(schema: unknown): string | undefined {
  if (!isJson(schema) || schema.type !== 'object') return 'schema must be a JSON Schema of \'type: "object"\''
  for (const { node, depth } of nodesOf(schema)) {
    if (depth > 40) return 'the schema is nested too deeply'
    const refused = openaiRefuses.find((keyword) => keyword in node)
    if (refused !== undefined) return `'${refused}' is not permitted`
    if (!isObject(node)) continue
    if (node.additionalProperties !== false)
      return "'additionalProperties' is required to be supplied and to be false"
    const required = Array.isArray(node.required) ? node.required : []
    const left = Object.keys(jsonOf(node.properties)).find((name) => !required.includes(name))
    if (left !== undefined)
      return `'required' is required to be supplied and to be an array including every key in properties. Missing '${left}'`
  }
  return undefined
}

function isObject(node: Json): boolean {
  return node.type === 'object' || (Array.isArray(node.type) && node.type.includes('object'))
}

/** All schemas inside a schema, references followed. */
function* nodesOf(
  root: Json,
  node: Json = root,
  depth = 0,
  above: readonly unknown[] = [],
): Generator<{ node: Json; depth: number; recursive: boolean }> {
  const recursive = above.includes(node)
  yield { node, depth, recursive }
  if (recursive) return
  const path = [...above, node]
  const children = [
    ...Object.values(jsonOf(node.properties)),
    ...Object.values(jsonOf(node.$defs)),
    ...[node.anyOf, node.oneOf, node.allOf].flatMap((list) => (Array.isArray(list) ? list : [])),
    node.items,
    typeof node.$ref === 'string' ? target(node.$ref, root) : undefined,
  ]
  for (const child of children) if (isJson(child)) yield* nodesOf(root, child, depth + 1, path)
}

function target(ref: string, root: Json): Json {
  return ref
    .replace(/^#\/?/, '')
    .split('/')
    .filter(Boolean)
    .reduce<Json>((parent, key) => jsonOf(parent[key]), root)
}
