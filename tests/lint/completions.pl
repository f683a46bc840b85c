#!/usr/bin/perl
# SPDX-License-Identifier: MIT
# bash completes to the options and keys of the tables, and to nothing else. The completion itself
# is asked, not its text.
use strict;
use warnings;
use Test::More;

my $completion = 'packaging/completions/confine.bash';

sub slurp {
    my ($file) = @_;
    open my $handle, '<', $file or die "$file: $!";
    local $/;
    return scalar(<$handle>) =~ s{/\*.*?\*/}{}gsr;
}

# What the words, the last of them being typed, may become.
sub complete {
    my @words = @_;
    my $script = 'source "$0"; COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); _confine; printf "%s\n" "${COMPREPLY[@]}"';
    open my $bash, '-|', 'bash', '--norc', '-c', $script, $completion, 'confine', @words or die "bash: $!";
    chomp(my @answers = <$bash>);
    close $bash or die "bash failed for '@words'";
    return join ' ', sort grep { length } @answers;
}

my (@options, @take_word, @take_none);
my $text = slurp('supervisor/options.def');
while ($text =~ /^OPTION\((?:'(.)'|0), (?:"([\w-]+)"|NULL), (\w+),.*?(NULL|"[^"]*")\)\s*$/mg) {
    my ($letter, $name, $rule, $help) = ($1, $2, $3, $4);
    next if $help eq 'NULL'; # refused by name
    push @options, "-$letter" if defined $letter;
    push @options, "--$name" . ($rule eq 'REQUIRED' ? '=' : '') if defined $name;
    push @{ $rule eq 'REQUIRED' ? \@take_word : \@take_none },
        grep { defined } defined $letter ? "-$letter" : undef, defined $name ? "--$name" : undef;
}
my (@keys, %choices);
$text = slurp('policy/keys.def');
while ($text =~ /^KEY\(\w+, (\w+), \w+, (\w+), (NULL|"[^"]*")/mg) {
    push @keys, "$1=";
    $choices{$1} = join ' ', sort split /\|/, $3 =~ tr/"//dr if $2 eq 'CHOICE';
}
my $options = join ' ', sort @options;

if (system('bash -c : 2>/dev/null') != 0) {
    plan skip_all => 'lacks bash';
}
ok(@options > 20 && @keys > 20 && keys %choices > 3, 'the tables are read');
is(complete('run', '-'), $options, 'the options');
is(complete('-'), $options, 'the options before the verb');
is(complete('run', '-p', ''), join(' ', sort @keys), 'the keys');
is(complete('run', '--property', '=', ''), join(' ', sort @keys), 'the keys, after =');
is(complete('run', '-p', $_, '=', ''), $choices{$_}, "the values of $_") for sort keys %choices;
is(complete('run', $_, 'x', '-'), $options, "$_ takes a word") for @take_word;
is(complete('run', $_, '-'), $options, "$_ takes none") for @take_none;
is(complete(''), 'run', 'the verb');
done_testing();
