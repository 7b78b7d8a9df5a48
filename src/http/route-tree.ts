// The router for Hono: a tree of path segments per method. If two routes match a path, the one with literal segments further
// left wins, so `me` in `/developers/me` never counts as an id.
import type { Params, Result, Router } from 'hono/router';

interface Node<Target> {
  literals: Map<string, Node<Target>>;
  parameter: Node<Target> | undefined;
  end: { target: Target; names: readonly string[] } | undefined;
}

/**
 * Creates a router without routes. A route has a method and a path of literal segments and `{parameters}`, each of
 * which matches one non-empty segment. Matching returns one target or none, because there is no middleware. Adding a
 * route throws TypeError for any other path, for the method `ALL`, and for a route that matches the same requests as an
 * earlier one.
 */
export function createRouteTree<Target>(): Router<Target> {
  const roots = new Map<string, Node<Target>>();

  return {
    name: 'RouteTree',
    add(method, path, target) {
      if (method === 'ALL') throw new TypeError(`A route has one method: ${path}`);
      const names: string[] = [];
      let node = roots.get(method) ?? createNode();
      roots.set(method, node);
      for (const segment of path.slice(1).split('/')) {
        const name = segment.startsWith('{') ? /^\{(\w+)\}$/.exec(segment)?.[1] : undefined;
        if (name === undefined && /[{}:*?]/.test(segment))
          throw new TypeError(`A parameter is a whole segment: ${path}`);
        if (name !== undefined) names.push(name);
        node = name === undefined ? literalChild(node, segment) : parameterChild(node);
      }
      if (node.end !== undefined) throw new TypeError(`Another route matches the same requests: ${method} ${path}`);
      node.end = { target, names };
    },
    match(method, path): Result<Target> {
      const root = roots.get(method);
      const values: string[] = [];
      const end = root && descend(root, path, 1, values);
      if (end === undefined) return [[]];
      const params: Params = {};
      for (let index = 0; index < values.length; index += 1) params[end.names[index] ?? ''] = values[index] ?? '';
      return [[[end.target, params]]];
    },
  };
}

function createNode<Target>(): Node<Target> {
  return { literals: new Map(), parameter: undefined, end: undefined };
}

function literalChild<Target>(node: Node<Target>, segment: string): Node<Target> {
  const child = node.literals.get(segment) ?? createNode();
  node.literals.set(segment, child);
  return child;
}

function parameterChild<Target>(node: Node<Target>): Node<Target> {
  node.parameter ??= createNode();
  return node.parameter;
}

/** Matches the segments from `start` and collects parameter values. The recursion is limited by the depth of the tree. */
function descend<Target>(node: Node<Target>, path: string, start: number, values: string[]): Node<Target>['end'] {
  const slash = path.indexOf('/', start);
  const stop = slash < 0 ? path.length : slash;
  const segment = path.slice(start, stop);
  const isLast = slash < 0;
  const literal = node.literals.get(segment);
  const found = literal && (isLast ? literal.end : descend(literal, path, stop + 1, values));
  if (found !== undefined || node.parameter === undefined || segment === '') return found;
  const depth = values.push(segment);
  const end = isLast ? node.parameter.end : descend(node.parameter, path, stop + 1, values);
  if (end === undefined) values.length = depth - 1;
  return end;
}
