"""What Redis does in one go, in Lua: nothing comes between, and all of it counts or nothing.

The keys of a library are one hash ``whorl:{identity}`` with ``format``, ``token`` (of all that belongs together),
``content`` (the mark) and ``last`` (what the last content is known by); one set ``...:periods`` of all periods; and one
hash a period ``...:NUMBER``, which has ``token``, ``bits``, ``base``, ``contents``, ``postings``, ``split``, and under
the first bits of keys the postings of these, 8 bytes each: the last five of the key, three of the content. A period
counts if its token is that of the library; one that is missing is to be loaded again. Of postings that are many, those
that are full lie under ``part:FIELD:NUMBER``, as many as ``parts:FIELD`` says.
"""

_APPEND = """
local function append(key, width, blob)
  local at, size = 1, string.len(blob)
  while at <= size do
    local field = string.sub(blob, at, at + width - 1)
    local count = struct.unpack('<I4', blob, at + width)
    local first = at + width + 4
    local last = first + 8 * count - 1
    local known = redis.call('HGET', key, field) or ''
    if string.len(known) >= 32768 then
      local part = redis.call('HINCRBY', key, 'parts:' .. field, 1)
      redis.call('HSET', key, 'part:' .. field .. ':' .. part, known, 'split', 1)
      known = ''
    end
    redis.call('HSET', key, field, known .. string.sub(blob, first, last))
    at = last + 1
  end
end
"""

APPEND = (
    _APPEND
    + """
append(KEYS[1], tonumber(ARGV[1]), ARGV[2])
redis.call('HINCRBY', KEYS[1], 'contents', ARGV[3])
redis.call('HINCRBY', KEYS[1], 'postings', ARGV[4])
redis.call('PEXPIRE', KEYS[1], ARGV[5])
"""
)
"""Put postings into a period that nobody asks yet: its hash; width of fields, postings, contents, postings in number,
lifetime."""

PUSH = (
    _APPEND
    + """
local token = ARGV[1]
local known = redis.call('HMGET', KEYS[1], 'token', 'content')
if known[1] ~= token then return 'token' end
if known[2] ~= ARGV[2] then return 'mark' end
local ready = {}
for i = 3, #KEYS do
  local at = 6 + (i - 3) * 6
  local own = redis.call('HMGET', KEYS[i], 'token', 'bits', 'base')
  if own[1] == token then
    if own[2] ~= ARGV[at + 1] or own[3] ~= ARGV[at + 2] then return 'period' end
    ready[i] = true
  else
    ready[i] = redis.call('SISMEMBER', KEYS[2], ARGV[at]) == 0
  end
end
for i = 3, #KEYS do
  local at = 6 + (i - 3) * 6
  if ready[i] then
    if redis.call('HGET', KEYS[i], 'token') ~= token then
      redis.call('DEL', KEYS[i])
      redis.call('HSET', KEYS[i], 'token', token, 'bits', ARGV[at + 1], 'base', ARGV[at + 2])
      redis.call('SADD', KEYS[2], ARGV[at])
    end
    append(KEYS[i], math.ceil(tonumber(ARGV[at + 1]) / 8), ARGV[at + 3])
    redis.call('HINCRBY', KEYS[i], 'contents', ARGV[at + 4])
    redis.call('HINCRBY', KEYS[i], 'postings', ARGV[at + 5])
    if ARGV[5] ~= '0' then redis.call('PEXPIRE', KEYS[i], ARGV[5]) end
  end
end
redis.call('HSET', KEYS[1], 'content', ARGV[3], 'last', ARGV[4])
return 'done'
"""
)
"""Add contents after the mark: library, periods, a hash for each; token, mark, new mark, last, lifetime (0: for ever),
and for each period number, bits, base, postings, contents, postings in number. Periods that are to be loaded again are
left out."""

TAKE = """
local count = (#KEYS - 2) / 2
for i = 1, count do
  local new = KEYS[2 + i]
  if redis.call('EXISTS', new) == 0 then return 'lost' end
end
if ARGV[1] ~= '' then
  local known = redis.call('HMGET', KEYS[1], 'token', 'content')
  if known[1] ~= ARGV[1] then return 'token' end
  if known[2] ~= ARGV[3] then return 'mark' end
else
  redis.call('DEL', KEYS[1], KEYS[2])
  redis.call('HSET', KEYS[1], 'format', ARGV[6], 'token', ARGV[2], 'content', ARGV[3], 'last', ARGV[4])
end
for i = 1, count do
  local new, own = KEYS[2 + i], KEYS[2 + count + i]
  redis.call('HSET', new, 'token', ARGV[2])
  redis.call('UNLINK', own)
  redis.call('RENAME', new, own)
  if ARGV[5] ~= '0' then redis.call('PEXPIRE', own, ARGV[5]) else redis.call('PERSIST', own) end
end
for i = 7, #ARGV do redis.call('SADD', KEYS[2], ARGV[i]) end
return 'done'
"""
"""Let periods count that were loaded: library, periods, new hashes, then those whose place they take; the token that
the library has to have ('' replaces all that it has), its new token, mark, last, lifetime, format, and the numbers of
all periods."""

ASK = """
local token = ARGV[1]
local known = redis.call('HMGET', KEYS[1], 'token', 'content')
if known[1] ~= token then return {'token'} end
local mark = tonumber(known[2] or '')
if not mark then return redis.error_reply('ERR damaged mark') end
if mark > 0 and ARGV[4] == '0' and redis.call('EXISTS', KEYS[2]) == 0 then
  return redis.error_reply('ERR damaged periods')
end
if mark < tonumber(ARGV[2]) then return {'mark'} end
local most = tonumber(ARGV[3]) + mark - tonumber(ARGV[2])
local keys = ARGV[5]
local count = string.len(keys) / 8
local answer, absent = {'done'}, {'absent'}
local places = {}
for i = 3, #KEYS do
  local own = redis.call('HMGET', KEYS[i], 'token', 'bits', 'base', 'split')
  if own[1] == token and tonumber(own[2] or '') and tonumber(own[3] or '') then
    places[#places + 1] = {KEYS[i], tonumber(own[2]), own[3], own[4]}
  elseif redis.call('SISMEMBER', KEYS[2], ARGV[3 + i]) == 1 then
    absent[#absent + 1] = ARGV[3 + i]
  end
end
if #absent > 1 then return absent end
local find, sub, char, byte = string.find, string.sub, string.char, string.byte
local function seek(value, rest, tag, found, left)
  local at = 1
  while left > 0 do
    local i = find(value, rest, at, true)
    if not i then return left end
    if (i - 1) % 8 == 0 then
      found[#found + 1] = tag .. sub(value, i + 5, i + 7)
      left, at = left - 1, i + 8
    else
      at = i + 1
    end
  end
  return left
end
for _, place in ipairs(places) do
  local key, bits, base, split = place[1], place[2], place[3], place[4]
  local width, found = math.ceil(bits / 8), {}
  local step = 2 ^ (8 * width - bits)
  for from = 1, count, 1000 do
    local to = math.min(count, from + 999)
    local fields, which = {}, {}
    for k = from, to do
      local at, field = 8 * (k - 1), nil
      if step == 1 then
        field = sub(keys, at + 1, at + width)
      else
        local last = byte(keys, at + width)
        field = sub(keys, at + 1, at + width - 1) .. char(last - last % step)
      end
      if field ~= fields[#fields] then fields[#fields + 1] = field end
      which[k] = #fields
    end
    local values = redis.call('HMGET', key, unpack(fields))
    for k = from, to do
      local value = values[which[k]]
      if value then
        local rest, tag = sub(keys, 8 * k - 4, 8 * k), struct.pack('<I2', k - 1)
        local left, field = most, fields[which[k]]
        if split then
          for part = 1, tonumber(redis.call('HGET', key, 'parts:' .. field) or '0') do
            if left == 0 then break end
            left = seek(redis.call('HGET', key, 'part:' .. field .. ':' .. part) or '', rest, tag, found, left)
          end
        end
        seek(value, rest, tag, found, left)
      end
    end
  end
  if ARGV[4] ~= '0' then redis.call('PEXPIRE', key, ARGV[4]) end
  answer[#answer + 1] = base
  answer[#answer + 1] = table.concat(found)
end
return answer
"""
"""Find keys: library, periods, a hash for each; token, mark that is needed, how many contents of a key are told at
least where there are more, lifetime, keys in ascending order, and the number of each period. Two bytes of the place of
a key and three of a content for each posting, after the base of its period; or 'absent' and which periods are to be
loaded."""

__all__ = ["APPEND", "ASK", "PUSH", "TAKE"]
